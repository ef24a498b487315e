// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// The columns of the results of statements, in their order, for Result.
namespace jtimer::cluster::detail::columns {

/// Of a result that has one column.
inline constexpr int kOnly = 0;

namespace schema {  // of checkSchema()
enum Column { Version, Serves, ReadOnly, ForTests, Started };
}

namespace exists {  // of schemaExists()
enum Column { Schema, Meta };
}

namespace lacking {  // of lackingRight()
enum Column { Role, Right, Relation };
}

namespace outcome {  // of outcome()
enum Column { Status, Started };
}

namespace change {  // of what callers write
enum Column { Count, Transaction };
}

namespace batch {  // of what changes tasks in batches: these and those of change
enum Column { Chosen = 2, LastName, LastId };
}

namespace registration {  // of registerNode()
enum Column { Node, ShortensLeases, History };
}

namespace renewal {  // of renew()
enum Column { Alive, NextLeaseEndIn, ShortestLease, Pauses, History, PruneIsDue };
}

namespace expired {  // of deleteExpired()
enum Column { Node, Name };
}

namespace nodePauses {  // of pausesOf()
enum Column { Number, All, Names };
}

namespace pause {  // of pauses()
enum Column { Scope, Name, Since, By, Note };
}

namespace missed {  // of missedInPause()
enum Column { Name, Id, Due, Cron, Zone, Next, Missed };
}

/// Of claim(), claimByName() and claimLimited(). What is said of the claim is the same in each row;
/// without a task, there is one row in which what is said of it is null.
namespace claim {
enum Column {
    Now,
    NodeGone,
    NextWakeIn,
    Name,
    Id,
    Payload,
    Kind,
    Period,
    Cron,
    Zone,
    Missed,
    Due,
    Wake,
    Token,
    Attempt,
    Crashes,
    MissedRuns,
    OthersFirst,
    More,
    Left  // of claimLimited() alone
};
}

namespace lock {  // of lockNames()
enum Column { Name, Locked };
}

namespace firstDue {  // of firstDue()
enum Column { Name, Id, PayloadSize };
}

namespace end {  // of writeEnds()
enum Column { Token, Written, Transaction, NextDue };
}

namespace task {  // of find() and list()
enum Column {
    Name,
    Id,
    State,
    Due,
    NextAttempt,
    Attempt,
    Crashes,
    Token,
    Node,
    LastError,
    Payload,
    PayloadSize,
    Kind,
    Cron,
    Zone,
    Period,
    Missed,
    Started,
    PausedSince,
    PausedBy,
    PausedNote
};
}

namespace node {  // of nodes()
enum Column {
    Number,
    Name,
    Library,
    Started,
    Lease,
    LeaseLeft,
    Concurrency,
    Running,
    Names,
    PausedSince,
    PausedBy,
    PausedNote
};
}

namespace name {  // of names()
enum Column {
    Name,
    Due,
    Scheduled,
    Paused,
    Dead,
    Running,
    RegisteringNodes,
    OldestDue,
    NextDue,
    PausedSince,
    PausedBy,
    PausedNote
};
}

namespace backlog {  // of backlog()
enum Column { Due, Scheduled, Paused, Running, Dead, Nodes, OldestDue };
}

/// Of history(). Without a run, there is one row in which all but More is null.
namespace past {
enum Column { More, Token, Name, Id, Node, Attempt, Due, Started, Finished, Outcome, Error };
}

namespace pruning {  // of beginPruning()
enum Column { Before, UpTo };
}

namespace pruned {  // of prune()
enum Column { Count, Last };
}

/// Of localTimes(): these of now, and then the same of the given time. Before and After are the
/// local times 25 hours around it.
namespace localTimes {
enum Column { Instant, Local, Before, After, kColumns };
}

}  // namespace jtimer::cluster::detail::columns
