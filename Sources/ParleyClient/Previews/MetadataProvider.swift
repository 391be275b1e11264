internal import ClientTransport
internal import ParleyProtocol
internal import Synchronization

/// Fetches the preview of one page, by way of the server.
///
///     let provider = client.metadataProvider()
///     provider.timeout = .seconds(5)
///     let metadata = try await provider.startFetchingMetadata(for: "https://example.com/")
///
/// One fetch for each provider; usable from any thread and task.
public final class MetadataProvider: Sendable {
  private enum State {
    case ready
    case underWay(fetchID: String)
    case cancelled
    case over
  }

  private struct Contents {
    var timeout = Duration.seconds(30)
    var state = State.ready
  }

  private let core: ClientCore
  private let contents = Mutex(Contents())

  init(_ core: ClientCore) { self.core = core }

  /// The time for the fetch, held between 100 ms and 30 s; 30 s unless set before the fetch.
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
    let call = try begin(url)
    let outcome: Result<Result<LinkMetadata, MetadataError>, ParleyError>
    do throws(ParleyError) {
      outcome = .success(try await core.perform(call))
    } catch {
      outcome = .failure(error)
      // The server's fetch would go on for nobody.
      if error == .cancelled { cancel() }
    }
    return try end(outcome).get()
  }

  /// Fetches the preview of a page and calls back on the client's queue.
  ///
  /// - Throws: ``MetadataError/alreadyStarted`` for a second fetch; nothing is called back then.
  public func startFetchingMetadata(
    for url: String,
    completionHandler: @escaping @Sendable (Result<LinkMetadata, MetadataError>) -> Void
  ) throws(MetadataError) {
    let call: Call<Result<LinkMetadata, MetadataError>>
    do throws(MetadataError) {
      call = try begin(url)
    } catch .cancelled {
      return core.callbacks.run { completionHandler(.failure(.cancelled)) }
    }
    core.start(call) { [self] in completionHandler(end($0)) }
  }

  /// Cancels the fetch, which then throws ``MetadataError/cancelled``; one that has not begun never
  /// does.
  public func cancel() {
    let fetchID = contents.withLock { contents -> String? in
      switch contents.state {
      case .ready:
        contents.state = .cancelled
        return nil
      case .underWay(let fetchID): return fetchID
      case .cancelled, .over: return nil
      }
    }
    guard let fetchID else { return }
    core.start(PreviewCalls.cancel(fetchID)) { _ in }
  }

  private func begin(
    _ url: String
  ) throws(MetadataError) -> Call<Result<LinkMetadata, MetadataError>> {
    let fetchID = core.requestIDs.next()
    let begun = contents.withLock { contents -> Result<Duration, MetadataError> in
      switch contents.state {
      case .ready:
        contents.state = .underWay(fetchID: fetchID)
        return .success(contents.timeout)
      case .cancelled:
        contents.state = .over
        return .failure(.cancelled)
      case .underWay, .over: return .failure(.alreadyStarted)
      }
    }
    return PreviewCalls.fetch(url, within: try begun.get(), fetchID)
  }

  private func end(
    _ outcome: Result<Result<LinkMetadata, MetadataError>, ParleyError>
  ) -> Result<LinkMetadata, MetadataError> {
    contents.withLock { $0.state = .over }
    switch outcome {
    case .success(let result): return result
    case .failure(.cancelled): return .failure(.cancelled)
    case .failure(.timedOut): return .failure(.timedOut)
    case .failure(let error): return .failure(.refused(error))
    }
  }
}

extension ParleyClient {
  /// Makes a provider for one fetch of a page's preview.
  ///
  /// Servers without previews refuse the fetch.
  public func metadataProvider() -> MetadataProvider { MetadataProvider(core) }
}

/// The description that a page gives of itself, found by the server.
public struct LinkMetadata: Sendable, Hashable, Codable {
  /// The link in its normal form, under which an application may keep the value.
  public let url: String
  /// The name of the site.
  public let siteName: String?
  /// The preview; `nil` for a page that offers none.
  public let ogMetaData: OGMetaData?
  /// Whether the server knew it before.
  public let isCached: Bool

  /// Makes the value, for tests and previews of an application.
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
  /// Makes the payload from what the server found; `nil` when the page offers no preview.
  public init?(_ metadata: LinkMetadata) {
    guard let tag = metadata.ogMetaData else { return nil }
    self.init(
      url: tag.url ?? metadata.url, siteName: metadata.siteName ?? "", title: tag.title ?? "",
      description: tag.desc ?? "", image: tag.defaultImage?.url ?? "")
  }
}

/// The reason why a page's preview could not be fetched.
public enum MetadataError: Error, Sendable, Hashable {
  /// The fetch was cancelled.
  case cancelled
  /// The page could not be fetched, as the text says.
  case failed(String)
  /// The page did not answer in time.
  case timedOut
  /// Any other reason, also one that this client does not know.
  case unknown(String)
  /// The provider was used before: each fetches one page.
  case alreadyStarted
  /// The server refused the call, or there was no connection.
  case refused(ParleyError)
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
      "preview.fetch", .safe, patience: milliseconds,
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
