import Curl
package import LinkPreview
import Reactor
import Synchronization

/// Fetches pages in this process, on one thread of its own.
///
/// The address policy is asked about the very address that is about to be dialled, after resolution
/// and for each redirect, so no name, notation or redirect leads around the address policy.
package final class EmbeddedUnfurler: Unfurler, PictureFetcher {
  private let thread: CurlThread<FetchLoop.Request>
  private let lastID = Atomic<UInt64>(0)

  /// - Throws: ``UnfurlError/failed(_:)`` when the thread or libcurl cannot be started.
  package init(configuration: UnfurlerConfiguration) throws(UnfurlError) {
    do throws(CurlError) {
      thread = try CurlThread(
        // Messages come first: they must not wait for previews.
        name: "unfurler", priority: .background, maximumConnections: configuration.maximumTransfers
      ) { FetchLoop($0, configuration: configuration) }
    } catch {
      throw .failed(error.description)
    }
  }

  package func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let fetch = Fetch(
      id: id, url: link.webURL, for: requester, now: .now, timeout: deadline, completion: completion
    )
    guard thread.post(.start(fetch)) else {
      completion(.cancelled)
      return UnfurlTask {}
    }
    return UnfurlTask { [weak thread] in _ = thread?.post(.cancel(id)) }
  }

  package func fetchPicture(
    _ url: WebURL, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (PictureReport) -> Void
  ) {
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let fetch = Fetch(
      id: id, pictureURL: url, for: requester, now: .now, timeout: deadline,
      completion: completion)
    if !thread.post(.start(fetch)) { completion(PictureReport(problem: "cancelled")) }
  }

  /// Cancels all fetches and waits for the thread's end; afterwards every fetch is cancelled at
  /// once, on the caller's thread.
  package func shutdown() { thread.stop() }
}
