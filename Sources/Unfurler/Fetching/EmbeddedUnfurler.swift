package import LinkPreview
import Reactor
import Synchronization

/// Fetches pages in this process, on one thread of its own.
///
/// Whom it talks to is decided for the very address that is about to be dialled, after resolution
/// and for each redirect, so no name, notation or redirect leads around the address policy.
package final class EmbeddedUnfurler: Unfurler {
  private let inbox = TransferInbox()
  private let thread: Mutex<Reactor.Thread?>
  private let lastID = Atomic<UInt64>(0)

  /// - Throws: ``UnfurlError/failed(_:)`` when the thread or libcurl cannot be started.
  package init(configuration: UnfurlerConfiguration) throws(UnfurlError) {
    guard CurlLibrary.isReady else { throw .failed("libcurl cannot be initialised") }
    let inbox = inbox
    do throws(SystemError) {
      thread = Mutex(
        try Reactor.Thread(name: "unfurler") {
          // Made on the thread that uses it: nothing of it is ever seen by another.
          TransferLoop(configuration: configuration, inbox: inbox)?.run()
        })
    } catch {
      throw .failed("\(error)")
    }
  }

  deinit {
    inbox.stop()
  }

  package func unfurl(
    _ link: Link, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    guard let url = WebURL(link.url) else {
      completion(UnfurlReport(.failure(.failed("not a URL"))))
      return UnfurlTask {}
    }
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let fetch = Fetch(
      id: id, url: url, deadline: .now.advanced(by: deadline), completion: completion)
    guard inbox.post(.start(fetch)) else {
      completion(.cancelled)
      return UnfurlTask {}
    }
    return UnfurlTask { [inbox] in _ = inbox.post(.cancel(id)) }
  }

  /// Cancels all fetches and waits for the thread's end; afterwards every fetch is cancelled at
  /// once, on the caller's thread.
  package func shutdown() {
    inbox.stop()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread, !thread.isCurrent { thread.join() }
  }
}
