internal import ParleyProtocol
internal import ClientTransport

/// Fetches the preview of one page through the server.
///
///     let provider = client.metadataProvider()
///     provider.timeout = .seconds(5)
///     let metadata = try await provider.startFetchingMetadata(for: "https://example.com/")
///
/// A provider makes one fetch; usable from any thread and task.
public final class MetadataProvider: Sendable {
  private enum State {
    case ready
    /// Cancelled before it started.
    case cancelled
    case underWay(CallHandle)
    /// Cancelled but not finished.
    case givenUp
    case over
  }

  /// A fetch that is starting.
  private struct Fetch {
    let id: String
    let call: Call<Result<LinkMetadata, MetadataError>>
    let handle: CallHandle
  }

  private struct Contents {
    var timeout = Duration.seconds(30)
    var state = State.ready
  }

  private let core: ClientCore
  private let contents = Locked(Contents())

  init(_ core: ClientCore) { self.core = core }

  /// The time limit of the fetch, clamped to 100 ms to 30 s; 30 s by default.
  ///
  /// It includes the time that the call waits for a connection.
  public var timeout: Duration {
    get { contents.withLock { $0.timeout } }
    set { contents.withLock { $0.timeout = newValue } }
  }

  /// Fetches the preview of a page, from the server's cache if it is there.
  ///
  /// Cancelling the task cancels the fetch.
  ///
  /// - Parameter url: An http or https URL, or a link as in a message: `example.com/page`.
  /// - Throws: ``MetadataError/alreadyStarted`` for a second fetch.
  public func startFetchingMetadata(for url: String) async throws(MetadataError) -> LinkMetadata {
    let fetch = try begin(url)
    let outcome: Result<Result<LinkMetadata, MetadataError>, ParleyError>
    do throws(ParleyError) {
      outcome = .success(try await core.perform(fetch.call, fetch.handle))
    } catch {
      outcome = .failure(error)
    }
    return try end(fetch.id, outcome).get()
  }

  /// Fetches the preview of a page and calls back on the client's queue.
  ///
  /// - Throws: ``MetadataError/alreadyStarted`` for a second fetch; then nothing is called back.
  public func startFetchingMetadata(
    for url: String,
    completionHandler: @escaping @Sendable (Result<LinkMetadata, MetadataError>) -> Void
  ) throws(MetadataError) {
    let fetch: Fetch
    do throws(MetadataError) {
      fetch = try begin(url)
    } catch .cancelled {
      return core.callbacks.run { completionHandler(.failure(.cancelled)) }
    }
    core.start(fetch.call, fetch.handle) { [self] in completionHandler(end(fetch.id, $0)) }
  }

  /// Fetches the preview of a page and calls back on the client's queue with a value or an error.
  ///
  /// - Parameter completionHandler: Called once, with ``MetadataError/alreadyStarted`` for a second fetch.
  public func startFetchingMetadata(
    for url: String,
    completionHandler: @escaping @Sendable (LinkMetadata?, MetadataError?) -> Void
  ) {
    do throws(MetadataError) {
      try startFetchingMetadata(for: url) { outcome in
        switch outcome {
        case .success(let metadata): completionHandler(metadata, nil)
        case .failure(let error): completionHandler(nil, error)
        }
      }
    } catch {
      core.callbacks.run { completionHandler(nil, error) }
    }
  }

  /// Cancels the fetch, which then throws ``MetadataError/cancelled`` at once, connected or not; a
  /// fetch that has not started will not start.
  public func cancel() {
    let handle = contents.withLock { contents -> CallHandle? in
      switch contents.state {
      case .ready:
        contents.state = .cancelled
        return nil
      case .underWay(let handle):
        contents.state = .givenUp
        return handle
      case .cancelled, .givenUp, .over: return nil
      }
    }
    if let handle { core.giveUp(handle) }
  }

  private func begin(_ url: String) throws(MetadataError) -> Fetch {
    let handle = CallHandle()
    let begun = contents.withLock { contents -> Result<Duration, MetadataError> in
      switch contents.state {
      case .ready:
        contents.state = .underWay(handle)
        return .success(contents.timeout)
      case .cancelled:
        contents.state = .over
        return .failure(.cancelled)
      case .underWay, .givenUp, .over: return .failure(.alreadyStarted)
      }
    }
    let id = core.requestIDs.next()
    let call = PreviewCalls.fetch(url, within: try begun.get(), id)
    return Fetch(id: id, call: call, handle: handle)
  }

  private func end(
    _ fetchID: String, _ outcome: Result<Result<LinkMetadata, MetadataError>, ParleyError>
  ) -> Result<LinkMetadata, MetadataError> {
    let isGivenUp = contents.withLock { contents in
      defer { contents.state = .over }
      if case .givenUp = contents.state { return true }
      return false
    }
    // Otherwise the server would continue a fetch without a caller.
    if case .failure(.cancelled) = outcome { core.start(PreviewCalls.cancel(fetchID)) { _ in } }
    guard !isGivenUp else { return .failure(.cancelled) }
    switch outcome {
    case .success(let result): return result
    case .failure(.cancelled): return .failure(.cancelled)
    case .failure(.timedOut): return .failure(.timedOut)
    case .failure(let error): return .failure(.refused(error))
    }
  }
}

extension ParleyClient {
  /// Creates a provider for one fetch of a page's preview.
  ///
  /// Servers without previews reject the fetch.
  public func metadataProvider() -> MetadataProvider { MetadataProvider(core) }
}

/// A page's description of itself, found by the server.
public struct LinkMetadata: Sendable, Hashable, Codable {
  /// The link in normalized form, usable as a cache key by applications.
  public let url: String
  /// The name of the site.
  public let siteName: String?
  /// The preview; `nil` for a page that has none.
  public let ogMetaData: OGMetaData?
  /// Whether the preview was in the server's cache.
  public let isCached: Bool

  /// Creates a value, for tests and previews of an application.
  public init(
    url: String, siteName: String? = nil, ogMetaData: OGMetaData? = nil, isCached: Bool = false
  ) {
    self.url = url
    self.siteName = siteName
    self.ogMetaData = ogMetaData
    self.isCached = isCached
  }
}

extension URLPreviewPayload {
  /// Creates the payload from the server's result; `nil` if the page has no preview.
  public init?(_ metadata: LinkMetadata) {
    guard let tag = metadata.ogMetaData else { return nil }
    self.init(
      url: tag.url ?? metadata.url, siteName: metadata.siteName ?? "", title: tag.title ?? "",
      description: tag.desc ?? "", image: tag.defaultImage?.url ?? "")
  }
}

/// The requests about previews.
enum PreviewCalls {
  private static let shortestTimeout = Duration.milliseconds(100)
  private static let longestTimeout = Duration.seconds(30)

  static func fetch(
    _ url: String, within timeout: Duration, _ fetchID: String
  ) -> Call<Result<LinkMetadata, MetadataError>> {
    let milliseconds = min(max(timeout, shortestTimeout), longestTimeout).milliseconds
    return Call(
      "preview.fetch", .safe, timeout: milliseconds,
      params: {
        $0.member("url", url)
        $0.member("timeout_ms", milliseconds)
        $0.member("fetch_id", fetchID)
      }, reading: read)
  }

  static func cancel(_ fetchID: String) -> Call<Void> {
    Call(
      "preview.cancel", .safe, params: { $0.member("fetch_id", fetchID) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  @Sendable
  private static func read(
    _ node: JSONNode
  ) throws(ParleyError) -> Result<LinkMetadata, MetadataError> {
    if let problem = node.present("problem") {
      let message = problem["message"]?.string ?? ""
      switch problem["kind"]?.string {
      case "cancelled": return .failure(.cancelled)
      case "failed": return .failure(.failed(message))
      case "timed_out": return .failure(.timedOut)
      default: return .failure(.unknown(message))
      }
    }
    let tag = node.present("og_tag").flatMap(OpenGraphTag.init(json:))
    return .success(
      LinkMetadata(
        url: try AnswerReader.text("url", of: node), siteName: node["site_name"]?.string,
        ogMetaData: tag.map { OGMetaData($0) }, isCached: node["cached"]?.bool ?? false))
  }
}
