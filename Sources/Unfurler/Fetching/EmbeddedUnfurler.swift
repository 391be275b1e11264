import Curl
package import LinkPreview
import Reactor
import Synchronization

/// Fetches pages in this process, on its own thread.
///
/// The address policy checks the exact address before it is dialled, after resolution and for each
/// redirect, so no name, notation or redirect can bypass the policy.
package final class EmbeddedUnfurler: Unfurler, PictureFetcher {
  private let thread: CurlThread<FetchLoop.Request>
  private let lastID = Atomic<UInt64>(0)

  /// - Throws: ``UnfurlError/failed(_:)`` if the thread or libcurl cannot be started.
  package init(configuration: UnfurlerConfiguration) throws(UnfurlError) {
    do throws(CurlError) {
      thread = try CurlThread(
        // Messages have priority: they must not wait for previews.
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

  /// Cancels all fetches and waits for the thread to end; later fetches are cancelled immediately,
  /// on the caller's thread.
  package func shutdown() { thread.stop() }
}
