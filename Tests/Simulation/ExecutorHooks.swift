import AuthStateLibc

/// The Swift runtime's own way in: it asks these variables before it hands a job to its threads.
///
/// Every task, every resumed continuation and every turn of an actor without an executor of its own is such a job. While
/// the hooks are set nothing of Swift's concurrency runs by itself.
enum ExecutorHooks {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Enqueue = @convention(thin) (UnownedJob, Original) -> Void
    private typealias Delayed = @convention(thin) (UInt64, UnownedJob, Original) -> Void
    private typealias Timed = @convention(thin) (Int64, Int64, Int64, Int64, CInt, UnownedJob, Original) -> Void

    /// The scheduler that gets the jobs. Everything runs on one thread.
    nonisolated(unsafe) fileprivate static var scheduler: Scheduler?

    /// Gives all jobs to a scheduler from now on.
    static func install(_ scheduler: Scheduler) {
        if Self.scheduler == nil {
            variable("swift_task_enqueueGlobal_hook").assumingMemoryBound(to: Enqueue?.self).pointee = { job, _ in
                ExecutorHooks.scheduler?.enqueue { job.run() }
            }
            variable("swift_task_enqueueGlobalWithDelay_hook").assumingMemoryBound(to: Delayed?.self).pointee = {
                _, _, _ in ExecutorHooks.escaped()
            }
            variable("swift_task_enqueueGlobalWithDeadline_hook").assumingMemoryBound(to: Timed?.self).pointee = {
                _, _, _, _, _, _, _ in ExecutorHooks.escaped()
            }
        }
        Self.scheduler = scheduler
    }

    /// A sleep on a real clock would steer the schedule by real time.
    private static func escaped() -> Never {
        fatalError("A task sleeps on a clock that is not simulated: give it the service's clock.")
    }

    private static func variable(_ name: String) -> UnsafeMutableRawPointer {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else {
            fatalError("The Swift runtime has no \(name); the simulation needs the runtime of Swift 6.")
        }
        return symbol
    }
}

/// The main actor's way in: its executor hands each job to Dispatch's main queue by this function, which the dynamic linker
/// finds here first, as it does `syscall` (see `SeededRandomness`).
@_cdecl("dispatch_async_f")
public func scheduledOnMainActor(
    _ queue: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?,
    _ work: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
) {
    ExecutorHooks.scheduler?.enqueue { work(context) }
}

extension UnownedJob {
    /// Runs this job to its next suspension, on this thread, as the runtime's own threads do.
    ///
    /// A job of the global executor belongs to no serial executor, which the runtime writes as two zeros; on any other one
    /// the task would hop away again.
    fileprivate func run() { runSynchronously(on: unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)) }
}
