package import Reactor
internal import Synchronization
package import Thumbnails

/// Makes thumbnails in child processes, which its own thread starts and monitors.
package final class Thumbnailer: Sendable {
  /// Called once, on the thumbnail thread.
  package typealias Completion = @Sendable (ThumbnailResult) -> Void

  private let mailbox: Mailbox<ThumbnailLoop.Message>
  private let thread: Reactor.Thread
  private let state: SharedState
  private let lastID = Atomic<UInt64>(0)

  private final class SharedState: Sendable {
    let figures = Mutex(ThumbnailFigures())
    let isClosed = Atomic(false)
  }

  /// - Throws: The failed system call.
  package init(_ configuration: ThumbnailerConfiguration) throws(SystemError) {
    let mailbox = try Mailbox<ThumbnailLoop.Message>()
    let state = SharedState()
    let report = StartReport<SystemError>()
    self.mailbox = mailbox
    self.state = state
    thread = try Reactor.Thread(name: "thumbnails", priority: .background) {
      Self.run(configuration, mailbox, state, report)
    }
    try report.wait(for: 1)
  }

  /// Makes a thumbnail of a file for each box, when its turn comes.
  ///
  /// - Parameters:
  ///   - file: The key of the content: a box that is already in progress for it is not made again.
  ///   - completion: Called on the thumbnail thread, which it must not block.
  package func make(
    _ boxes: [ThumbnailBox], of file: String, for requester: ThumbnailRequester,
    from source: any ThumbnailSource, completion: @escaping Completion
  ) {
    guard !state.isClosed.load(ordering: .acquiring) else {
      return completion(
        ThumbnailResult(.refused, reason: "the server is stopping", isFinal: false))
    }
    let id = ThumbnailRequestID(rawValue: lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    mailbox.post(
      .request(
        ThumbnailRequest(id: id, for: requester, file: file, boxes: boxes), source, completion))
  }

  /// Cancels the work on a file that was removed.
  package func forget(_ file: String) { mailbox.post(.forget(file: file)) }

  package var figures: ThumbnailFigures { state.figures.withLock { $0 } }

  /// Kills all child processes, answers all requests, and waits for the thread to end.
  package func shutdown() {
    guard !state.isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    mailbox.post(.close)
    thread.join()
  }

  private static func run(
    _ configuration: ThumbnailerConfiguration, _ mailbox: Mailbox<ThumbnailLoop.Message>,
    _ state: SharedState, _ report: StartReport<SystemError>
  ) {
    do throws(SystemError) {
      let loop = try EventLoop()
      let owner = try ThumbnailLoop(configuration, loop: loop, mailbox: mailbox) { figures in
        state.figures.withLock { $0 = figures }
      }
      report.add(.success(()))
      withExtendedLifetime(owner) { loop.run() }
    } catch {
      report.add(.failure(error))
    }
  }
}

/// The settings of a ``Thumbnailer``.
package struct ThumbnailerConfiguration: Sendable {
  package let installation: HelperInstallation
  package let programs: ThumbnailPrograms
  /// The maximum number of files processed at a time.
  package var concurrency: Int
  /// The maximum number of waiting files.
  package var capacity = 1_000
  package var limits = ThumbnailLimits()
  /// Whether decoding requires Landlock and the system call filter.
  package var requiresWalls = false

  package init(
    installation: HelperInstallation, programs: ThumbnailPrograms, concurrency: Int = 1
  ) {
    self.installation = installation
    self.programs = programs
    self.concurrency = concurrency
  }
}
