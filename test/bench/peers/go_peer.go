// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Go's own timers, as the C++ peers (peer.hpp): what they play is told in calls.hpp, firings.hpp
// and pending.hpp, and means the same here.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const rounds = 5

type random struct{ state uint64 }

func (r *random) below(bound uint64) uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return (z ^ (z >> 31)) % bound
}

var mode, size string
var quick bool

func count() int {
	n, _ := strconv.ParseFloat(size, 64)
	return int(n)
}

func scaled(full int) int {
	if quick {
		return full / 100
	}
	return full
}

func seconds(full, quickly int) int {
	if quick {
		return quickly
	}
	return full
}

func makeDelays(n int, mode string, seed uint64) []time.Duration {
	delays := make([]time.Duration, n)
	r := random{seed}
	for i := range delays {
		millis := uint64(0)
		switch mode {
		case "ascending":
			millis = uint64(i) * 3600000 / uint64(n)
		case "descending":
			millis = 3600000 - uint64(i)*3600000/uint64(n)
		default:
			millis = r.below(3600000)
		}
		delays[i] = time.Hour + time.Duration(millis)*time.Millisecond
	}
	return delays
}

func makeOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	r := random{7}
	for i := n; i > 1; i-- {
		j := r.below(uint64(i))
		order[i-1], order[j] = order[j], order[i-1]
	}
	return order
}

func doNothing() {}

// Of the calling thread, to which its goroutine is locked; or of the process.
func cpuTime(who int) int64 {
	var usage syscall.Rusage
	syscall.Getrusage(who, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

const ofThread = 1

func residentBytes() int64 {
	statm, _ := os.ReadFile("/proc/self/statm")
	pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func report(workload, when, figure string, value float64) {
	if when != "" {
		when = " " + when
	}
	fmt.Printf("%s\t%s %s%s\t%s\t%g\n", workload, mode, size, when, figure, value)
}

// Wall and CPU time of what is done n times.
func measure(workload, when, what string, n int, work func()) {
	begin, cpu := time.Now(), cpuTime(ofThread)
	work()
	if when == "" {
		return
	}
	report(workload, when, what+"_ns", float64(time.Since(begin))/float64(n))
	report(workload, when, what+"_cpu_ns", float64(cpuTime(ofThread)-cpu)/float64(n))
}

func temperatureOf(round int) string {
	return map[int]string{1: "cold", rounds: "warm"}[round]
}

func scheduleAndCancel() {
	n := count()
	delays, order, timers := makeDelays(n, mode, 42), makeOrder(n), make([]*time.Timer, n)
	for round := 1; round <= rounds; round++ {
		when := temperatureOf(round)
		measure("W1", when, "schedule", n, func() {
			for i := range timers {
				timers[i] = time.AfterFunc(delays[i], doNothing)
			}
		})
		measure("W2", when, "cancel", n, func() {
			for _, i := range order {
				timers[i].Stop()
			}
		})
		for i := range timers {
			timers[i] = nil
		}
	}
}

func producers() {
	n := count()
	threads, _ := strconv.Atoi(strings.Split(mode, "-")[0])
	delays, pending := makeDelays(n, "random", 42), make([]*time.Timer, n)
	produce := func(seed uint64, pairs int) {
		own := makeDelays(4096, "random", seed)
		for i := 0; i < pairs; i++ {
			time.AfterFunc(own[i%len(own)], doNothing).Stop()
		}
	}
	produce(99, scaled(20000))
	for round := 1; round <= rounds; round++ {
		for i := range pending {
			pending[i] = time.AfterFunc(delays[i], doNothing)
		}
		share := scaled(1000000) / threads
		begin, cpu := time.Now(), cpuTime(ofThread)
		var others sync.WaitGroup
		for i := 1; i < threads; i++ {
			others.Add(1)
			go func(seed int) {
				produce(uint64(seed), share)
				others.Done()
			}(i + 1)
		}
		produce(1, share)
		others.Wait()
		if when := temperatureOf(round); when != "" {
			pairs := float64(share * threads)
			report("W3", when, "pair_ns", float64(time.Since(begin))/pairs)
			if threads == 1 {
				report("W3", when, "pair_cpu_ns", float64(cpuTime(ofThread)-cpu)/pairs)
			}
		}
		for _, timer := range pending {
			timer.Stop()
		}
	}
}

func restarts() {
	n := count()
	delays, order, timers := makeDelays(n, "random", 42), makeOrder(n), make([]*time.Timer, n)
	for i := range timers {
		timers[i] = time.AfterFunc(delays[i], doNothing)
	}
	for round := 1; round <= rounds; round++ {
		when := ""
		if round == rounds {
			when = "warm"
		}
		measure("W10", when, "reset", n, func() {
			for _, i := range order {
				timers[i].Reset(delays[i] + time.Duration(round)*time.Hour)
			}
		})
	}
}

func lateness() {
	n, late := count(), make([]float64, count())
	r := random{42}
	var all sync.WaitGroup
	all.Add(n)
	for i := range late {
		delay := time.Second + time.Duration(r.below(uint64(seconds(10, 1))*1000))*time.Millisecond
		due, mine := time.Now().Add(delay), &late[i]
		time.AfterFunc(delay, func() {
			*mine = float64(time.Since(due)) / 1e3
			all.Done()
		})
	}
	all.Wait()
	sort.Float64s(late)
	report("W5", "", "p1_us", late[n/100])
	report("W5", "", "p50_us", late[n/2])
	report("W5", "", "p99_us", late[n*99/100])
}

func memory() {
	delays := makeDelays(count(), "random", 42)
	timers := make([]*time.Timer, len(delays))
	for i := range timers {
		timers[i] = nil // touches the pages
	}
	runtime.GC()
	debug.FreeOSMemory()
	before := residentBytes()
	for i, delay := range delays {
		timers[i] = time.AfterFunc(delay, doNothing)
	}
	report("W6", "", "task_bytes", float64(residentBytes()-before)/float64(len(delays)))
	runtime.KeepAlive(timers)
}

// How often the threads of the process have gone to sleep.
func sleeps() (all int64) {
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		status, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		for _, line := range strings.Split(string(status), "\n") {
			if strings.HasPrefix(line, "voluntary_ctxt_switches:") {
				n, _ := strconv.ParseInt(strings.Fields(line)[1], 10, 64)
				all += n
			}
		}
	}
	return all
}

func idleness() {
	delays := makeDelays(count(), "random", 42)
	timers := make([]*time.Timer, len(delays))
	for i, delay := range delays {
		timers[i] = time.AfterFunc(delay, doNothing)
	}
	time.Sleep(time.Second)
	before, span := sleeps(), seconds(5, 1)
	time.Sleep(time.Duration(span) * time.Second)
	report("W7", "", "wakeups_per_s", float64(sleeps()-before)/float64(span))
	runtime.KeepAlive(timers)
}

// As JtimerGoAdapter: one goroutine receives the ticks of all tickers.
func fixedRate() {
	const period = 10 * time.Millisecond
	ticks, received := make([]<-chan time.Time, count()), int64(0)
	for i := range ticks {
		ticks[i] = time.NewTicker(period).C
	}
	letPass := func(span time.Duration) {
		for end := time.Now().Add(span); ; {
			for _, c := range ticks {
				select {
				case <-c:
					received++
				default:
				}
			}
			left := time.Until(end)
			if left <= 0 {
				return
			}
			if left > period {
				left = period
			}
			time.Sleep(left)
		}
	}
	letPass(time.Second / 2)
	before, begin, cpu := received, time.Now(), cpuTime(syscall.RUSAGE_SELF)
	letPass(time.Duration(seconds(3, 1)) * time.Second)
	runs, span := float64(received-before), float64(time.Since(begin))
	report("W8", "", "firing_cpu_ns", float64(cpuTime(syscall.RUSAGE_SELF)-cpu)/runs)
	report("W8", "", "firings_per_s", runs*1e9/span)
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("Go " + strings.TrimPrefix(runtime.Version(), "go"))
		return
	}
	workloads := map[string]func(){"W1": scheduleAndCancel, "W3": producers, "W5": lateness,
		"W6": memory, "W7": idleness, "W8": fixedRate, "W10": restarts}
	if len(os.Args) < 4 || workloads[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "Usage: go_peer --version | WORKLOAD MODE SIZE [--quick]")
		os.Exit(2)
	}
	mode, size, quick = os.Args[2], os.Args[3], len(os.Args) == 5
	runtime.LockOSThread()
	workloads[os.Args[1]]()
}
