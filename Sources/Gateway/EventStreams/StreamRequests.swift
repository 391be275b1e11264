import Channels
import Cluster
import Configuration
import HTTP
import ParleyProtocol
import Transport

/// The requests to `/v1/streams` and `/v1/streams/{stream}`.
///
/// The address of a stream authorizes requests, so it is never recorded here.
struct StreamRequests {
  private enum Method: String {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case delete = "DELETE"
    case options = "OPTIONS"
  }

  private let call: ResourceCall
  private let responses: StreamResponses
  private let method: Method?
  /// The address in the path; empty for requests that open a stream.
  private let address: String

  init(_ call: ResourceCall) {
    self.call = call
    responses = StreamResponses(
      to: call.head, allowedOrigins: call.shard.settings.auth.allowedOrigins)
    method = Method(rawValue: call.head.method)
    address = call.arguments["stream"]
  }

  private var shard: Shard { call.shard }
  private var head: HTTPRequestHead { call.head }
  private var messageLimit: Int { shard.settings.limits.messageBytes }
  private var isOff: Bool { shard.settings.streams.mode == .off }

  /// Decides how to receive the body of a request.
  func decideOnBody() -> BodyDecision {
    guard method == .post, !isOff else {
      return .passingOver(head, then: answer, or: responses.refusal(tooLarge, .contentTooLarge))
    }
    let length = head.fields["Content-Length"].flatMap { Int($0) } ?? 0
    guard length <= messageLimit else {
      return .refusing(head, responses.refusal(tooLarge, .contentTooLarge))
    }
    return .whole
  }

  /// Answers a request, whose body has been received.
  func answer() -> RequestOutcome {
    guard !isOff else {
      return .respond(
        responses.refusal(
          ServiceError(.noSuchEndpoint, "there are no streams here: streams.mode is off"),
          .notFound))
    }
    guard call.exchange.request.body.count <= messageLimit else {
      return .respond(responses.refusal(tooLarge, .contentTooLarge))
    }
    switch (method, address.isEmpty) {
    case (.options, _): return .respond(responses.options())
    case (.post, true): return shard.openStream(call.exchange, responses)
    case (.get, true), (.head, true), (.delete, true), (nil, true):
      return .respond(responses.refusal(ofMethod: head.method, allowed: ["POST", "OPTIONS"]))
    case (.get, false), (.head, false): return read()
    case (.post, false): return post()
    case (.delete, false): return begin(.close)
    case (nil, false):
      return .respond(
        responses.refusal(ofMethod: head.method, allowed: ["GET", "POST", "DELETE", "OPTIONS"]))
    }
  }

  private func read() -> RequestOutcome {
    do throws(ServiceError) {
      let reading = try StreamReading(head)
      let compressed = head.fields.listContains("gzip", in: "Accept-Encoding")
      guard method == .get else { return .respond(responses.events(compressed: compressed)) }
      return begin(.read(reading), compressed: compressed)
    } catch {
      return .respond(responses.refusal(error))
    }
  }

  private func post() -> RequestOutcome {
    do throws(ServiceError) {
      let after = try StreamQuery(head, names: ["after"]).position(head)
      return begin(.post(call.exchange.request.body, after: after))
    } catch {
      return .respond(responses.refusal(error))
    }
  }

  /// Sends the request to the shard that has the stream.
  private func begin(
    _ action: StreamRequest.Action, compressed: Bool = false
  ) -> RequestOutcome {
    let (shard, exchange) = (shard, call.exchange)
    var server: ServerID?
    if let slot = StreamAddress.server(in: address), slot != shard.services.server {
      server = shard.edge?.routes.ring.member(slot: slot)?.id
      guard let id = server, shard.edge?.calls.isLost(id) == false else {
        return .respond(responses.response(to: .gone))
      }
    }
    shard.streams.requests[exchange.id] = AwaitedStream(
      exchange, responses, at: server, compressed: compressed, on: shard)
    let request = StreamRequest(
      address: address, action, from: ExchangeAddress(exchange.id, on: shard.handle))
    shard.send(.shard(shard.handle.address, .stream(.request(request))))
    return .respondLater { [unowned shard, id = exchange.id] in shard.streams.requests[id] = nil }
  }

  private var tooLarge: ServiceError {
    ServiceError(
      .tooLong, "a message may have \(messageLimit) bytes (limits.message_bytes)",
      data: ErrorDetails(limit: Int64(messageLimit)))
  }
}
