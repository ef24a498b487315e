#include "page/pages.hpp"
namespace page {
static const char* const kA[]={"run","pause","resume","cancel","revive","reschedule"};
const char* nameOf(Action a){return kA[(int)a];}
std::optional<Action> actionOf(const std::string& n){for(int i=0;i<6;++i) if(n==kA[i]) return (Action)i; return {};}
static const char* const kR[]={"changed","already","absent","running"};
const char* nameOf(Result a){return kR[(int)a];}
std::optional<Result> resultOf(const std::string& n){for(int i=0;i<4;++i) if(n==kR[i]) return (Result)i; return {};}
static std::string base(const Context& c){ return "path="+c.path+" query="+c.query+" token="+c.token+(c.done?" done":"")+(c.awaySince?" AWAY":"")+"\n";}
template<class T> static std::string p(const char*n,const Part<T>& x){return std::string(n)+": "+(x.value?"ok":x.why)+"\n";}
std::string overview(const Overview& v,const Context&c){return base(c)+p("backlog",v.backlog)+p("names",v.names)+p("nodes",v.nodes)+p("pauses",v.pauses)+p("dead",v.dead)+p("running",v.running)+p("next",v.next)+p("history",v.history);}
std::string tasks(const TasksPage&v,const Context&c){return base(c)+p("tasks",v.tasks);}
std::string names(const NamesPage&,const Context&c){return base(c);}
std::string nodes(const NodesPage&,const Context&c){return base(c);}
std::string history(const HistoryPage&,const Context&c){return base(c);}
std::string task(const TaskPage&v,const Context&c){return base(c)+v.task.name+v.task.id;}
std::string name(const NamePage&v,const Context&c){return base(c)+v.name;}
std::string confirmation(const Confirmation&v,const Context&c){return base(c)+"count="+std::to_string(v.count);}
std::string message(const Message&v,const Context&c){return base(c)+std::to_string(v.status)+" "+v.text+"\n";}
std::string styleSheet(){return "";} std::string icon(){return "";}
std::string refreshField(const Context& c){return std::to_string(*c.refresh);}
std::string locationAfter(const Done& d){return std::string("tasks?did=")+nameOf(d.action)+"&result="+nameOf(d.result)+"&count="+std::to_string(d.count);}
std::string confirmationOf(Action a,const Subject& s){return std::string("confirm?do=")+nameOf(a)+"&name="+s.name;}
}
