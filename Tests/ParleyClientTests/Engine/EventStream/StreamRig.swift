import ClientTransport

@testable import ParleyClient

/// The course of a stream with its clock.
struct StreamRig {
  typealias Effect = StreamCourse.Effect

  static let path = "/v1/streams/abc-_1"
  static let opening = Array(
    #"{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"user_id":"jeff"}}"#.utf8)

  var course: StreamCourse
  var now: Int64 = 1000

  init(_ limits: StreamCourse.Limits = StreamCourse.Limits()) {
    course = StreamCourse(limits)
  }

  /// A course whose stream is open, and whose first request for events is on its way.
  static func open() -> StreamRig {
    var rig = StreamRig()
    _ = rig.handle(.send(opening))
    _ = rig.answer(201, #"{"stream":"\#(path)","result":{"session_id":"s"}}"#)
    return rig
  }

  /// An open course that has received `hello`.
  static func listening() -> StreamRig {
    var rig = open()
    _ = rig.head()
    _ = rig.receive("event: hello\ndata: {\"after\":0}\n\n")
    return rig
  }

  mutating func handle(_ input: StreamCourse.Input) -> [Effect] {
    course.handle(input, at: now)
  }

  mutating func send(_ text: String) -> [Effect] { handle(.send(Array(text.utf8))) }

  mutating func answer(
    _ status: Int, _ body: String = "{}", _ fields: [String: String] = [:]
  )
    -> [Effect]
  {
    let fields = fields.map { ClientResponse.Field($0.key, $0.value) }
    let response = ClientResponse(status: status, fields: fields, body: Array(body.utf8))
    return handle(.answered(.success(response)))
  }

  mutating func head(
    _ status: Int = 200, type: String = "text/event-stream; charset=utf-8"
  )
    -> [Effect]
  {
    let field = ClientResponse.Field("content-type", type)
    return handle(.read(.head(ClientResponse(status: status, fields: [field]))))
  }

  mutating func receive(_ text: String) -> [Effect] { handle(.read(.body(Array(text.utf8)))) }

  mutating func cut() -> [Effect] {
    handle(.read(.failed(ConnectionFailure(.temporary, "cut"))))
  }

  /// Lets time pass, and reports it as soon as a deadline has passed.
  mutating func pass(_ milliseconds: Int64) -> [Effect] {
    let end = now + milliseconds
    var effects: [Effect] = []
    while let deadline = course.nextDeadline, deadline <= end {
      now = max(now, deadline)
      effects += handle(.timePassed)
    }
    now = end
    return effects
  }

  static func post(_ text: String, to path: String = path) -> Effect {
    .post(Array(text.utf8), to: path)
  }

  static func deliver(_ text: String) -> Effect { .deliver(Array(text.utf8)) }

  static func read(after id: Int) -> Effect { .read("\(path)?after=\(id)", .events) }

  static func poll(after id: Int) -> Effect { .read("\(path)?poll=1&after=\(id)", .poll) }

  static func lost(_ reason: String) -> Effect {
    .end(.failed(ConnectionFailure(.lost, reason)))
  }
}
