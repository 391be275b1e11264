internal import ClientTransport
internal import Dispatch
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A `URLSession`, and the WebSockets and requests that it runs.
///
/// Confined to its lane: the session calls its delegate on the lane's queue.
final class WebSession: NSObject, @unchecked Sendable {
  let route: WebRoute
  private let trust: ServerTrust
  /// `nil` once the session was invalidated.
  private var session: URLSession?
  /// The tasks in progress, which keep their owners alive.
  private var links: [Int: WebSocketLink] = [:]
  private var requests: [Int: FoundationRequest] = [:]

  /// - Throws: ``ConnectionFailure`` of the kind ``ConnectionFailure/Kind/lasting`` for a
  ///   certificate file that can't be read, or a setting that the platform does not offer.
  init(_ route: WebRoute, on queue: DispatchQueue) throws(ConnectionFailure) {
    self.route = route
    trust = try ServerTrust(route.tls)
    let configuration = try route.configuration()
    super.init()
    let operations = OperationQueue()
    operations.underlyingQueue = queue
    operations.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: self, delegateQueue: operations)
  }

  func startSocket(
    _ request: URLRequest, limit: Int, for link: WebSocketLink
  ) -> URLSessionWebSocketTask? {
    guard let task = session?.webSocketTask(with: request) else { return nil }
    task.maximumMessageSize = limit
    links[task.taskIdentifier] = link
    task.resume()
    return task
  }

  func startRequest(_ request: URLRequest, for owner: FoundationRequest) -> URLSessionTask? {
    guard let task = session?.dataTask(with: request) else { return nil }
    requests[task.taskIdentifier] = owner
    task.resume()
    return task
  }

  /// Closes the session once its tasks have ended.
  func retire() {
    session?.finishTasksAndInvalidate()
    session = nil
  }

  /// Ends the session and its tasks.
  func cancel() {
    session?.invalidateAndCancel()
    session = nil
  }
}

extension WebSession: URLSessionWebSocketDelegate {
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?
  ) {
    links[webSocketTask.taskIdentifier]?.didOpen(`protocol`)
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    links[webSocketTask.taskIdentifier]?.didClose(closeCode.rawValue, reason)
  }
}

extension WebSession: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    requests[dataTask.taskIdentifier]?.didReceive(data, dataTask.response as? HTTPURLResponse)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let response = task.response as? HTTPURLResponse
    links.removeValue(forKey: task.taskIdentifier)?.didComplete(response, error)
    requests.removeValue(forKey: task.taskIdentifier)?.didComplete(response, error)
  }

  // Another server would receive the header fields and bytes of the request.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  #if canImport(Darwin)
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (
          URLSession.AuthChallengeDisposition, URLCredential?
        ) -> Void
    ) {
      let (disposition, credential) = trust.answer(challenge, proxy: route.proxy)
      completionHandler(disposition, credential)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (
          URLSession.AuthChallengeDisposition, URLCredential?
        ) -> Void
    ) {
      let (disposition, credential) = trust.answer(challenge, proxy: route.proxy)
      completionHandler(disposition, credential)
    }
  #endif
}
