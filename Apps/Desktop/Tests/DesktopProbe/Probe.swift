import CAdwaita
import Glibc
import MainLoop
import Widgets

/// Checks that need GLib's main loop in the same process. Prints one line for each check: its name, and `passed` or the reason.
/// With the argument `scroll` it measures instead: ``ScrollProbe``.
@main
@MainActor
enum Probe {
    static func main() {
        guard gtk_init_check() != 0 else {
            print("display: there is none")
            exit(69)
        }
        adw_init()
        MainLoop.attach()
        let loop = g_main_loop_new(nil, 0)
        if CommandLine.arguments.dropFirst().first == "scroll" {
            _ = ScrollProbe { g_main_loop_quit(loop) }
        } else {
            Task {
                await mainActor()
                await ownership()
                g_main_loop_quit(loop)
            }
        }
        g_main_loop_run(loop)
        exit(0)
    }

    /// Work of the main actor returns to the main thread after each kind of suspension.
    static func mainActor() async {
        var isOnMainThread = isMainThread()
        await elsewhere()
        isOnMainThread = isOnMainThread && isMainThread()
        try? await Task.sleep(for: .milliseconds(1))
        isOnMainThread = isOnMainThread && isMainThread()
        var count = 0
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<10_000 { group.addTask { await one() } }
            for await number in group { count += number }
        }
        report("main actor", isOnMainThread && isMainThread() && count == 10_000, "\(count) of 10000 returned")
    }

    /// Widgets, their Swift objects and the closures of their signals end together.
    static func ownership() async {
        let alive = Counter()
        for _ in 0..<300 {
            let stack = PageStack()
            g_object_ref_sink(stack.widget)
            stack.push(ProbePage(alive).page())
            stack.push(ProbePage(alive).page())
            stack.pop()
            g_object_unref(stack.widget)
        }
        // The drawings that wait for their turn hold nothing either.
        for _ in 0..<10 { await Task.yield() }
        report("ownership", alive.count == 0, "\(alive.count) objects are alive")
    }

    static func report(_ name: String, _ passed: Bool, _ reason: String) {
        print("\(name): \(passed ? "passed" : reason)")
        fflush(nil)
    }

    @concurrent
    static func elsewhere() async { precondition(!isMainThread()) }

    static func one() -> Int { 1 }
}

/// Returns whether the caller runs on the main thread. Not `pthread_self`: its result is declared constant, and the
/// optimizer would keep it across a suspension.
@inline(never)
func isMainThread() -> Bool { latch_is_main_thread() != 0 }
