import Channels
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
  private let answers: StreamAnswers
  private let method: Method?
  /// The address in the path; empty for requests that open a stream.
  private let address: String

  init(_ call: ResourceCall) {
    self.call = call
    answers = StreamAnswers(
      origin: call.head.fields["Origin"],
      allowedOrigins: call.shard.settings.auth.allowedOrigins)
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
      return .passingOver(head, then: answer, or: answers.refusal(tooLarge, .contentTooLarge))
    }
    let length = head.fields["Content-Length"].flatMap { Int($0) } ?? 0
    guard length <= messageLimit else {
      return .refusing(head, answers.refusal(tooLarge, .contentTooLarge))
    }
    return .whole
  }

  /// Answers a request, whose body has been received.
  func answer() -> RequestOutcome {
    guard !isOff else {
      return .respond(
        answers.refusal(
          ServiceError(.noSuchEndpoint, "there are no streams here: streams.mode is off"),
          .notFound))
    }
    guard call.exchange.request.body.count <= messageLimit else {
      return .respond(answers.refusal(tooLarge, .contentTooLarge))
    }
    switch (method, address.isEmpty) {
    case (.options, _): return .respond(answers.options())
    case (.post, true): return shard.openStream(call.exchange, answers)
    case (.get, true), (.head, true), (.delete, true), (nil, true):
      return .respond(answers.refusal(ofMethod: head.method, allowed: ["POST", "OPTIONS"]))
    case (.get, false), (.head, false): return read()
    case (.post, false): return pass(.post(call.exchange.request.body))
    case (.delete, false): return pass(.close)
    case (nil, false):
      return .respond(
        answers.refusal(ofMethod: head.method, allowed: ["GET", "POST", "DELETE", "OPTIONS"]))
    }
  }

  private func read() -> RequestOutcome {
    do throws(ServiceError) {
      let reading = try StreamReading(head)
      guard method == .get else { return .respond(answers.events(compressed: reading.compressed)) }
      return pass(.read(reading))
    } catch {
      return .respond(answers.refusal(error))
    }
  }

  /// Passes the request to the shard that has the stream.
  private func pass(_ action: StreamCall.Action) -> RequestOutcome {
    guard let server = StreamAddress.server(in: address) else { return .respond(answers.unknown()) }
    guard server == shard.services.server else { return .respond(answers.gone()) }
    guard let place = StreamAddress(address, shard.services.streamKey),
      Int(place.shard.shard) < shard.services.shards.count
    else { return .respond(answers.unknown()) }
    let reply = StreamReply(call.exchange, answers, on: shard)
    shard.send(
      .stream(StreamCall(stream: place.stream, action: action, reply: reply)),
      to: Int(place.shard.shard))
    return .respondLater(onAbandonment: nil)
  }

  private var tooLarge: ServiceError {
    ServiceError(
      .tooLong, "a message may have \(messageLimit) bytes (limits.message_bytes)",
      data: ErrorDetails(limit: Int64(messageLimit)))
  }
}
