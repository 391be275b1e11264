internal import ParleyProtocol

/// The number and kinds of messages to fetch around a place.
public final class MessageListParams: Sendable {
  private let shared: SharedValues<Values>

  /// The number of messages before the place, 0 to 200.
  public var previousResultSize: Int {
    get { shared[\.previousResultSize] }
    set { shared[\.previousResultSize] = newValue }
  }

  /// The number of messages after the place, 0 to 200.
  public var nextResultSize: Int {
    get { shared[\.nextResultSize] }
    set { shared[\.nextResultSize] = newValue }
  }

  /// Whether the message at the place, or those of that very millisecond, are among them.
  public var isInclusive: Bool {
    get { shared[\.isInclusive] }
    set { shared[\.isInclusive] = newValue }
  }

  /// The order in time.
  public var order: MessageOrder {
    get { shared[\.order] }
    set { shared[\.order] = newValue }
  }

  /// The kind of message; `nil` for all.
  public var messageType: MessageTypeFilter? {
    get { shared[\.messageType] }
    set { shared[\.messageType] = newValue }
  }

  /// The application's own kinds; `nil` for all.
  public var customTypes: [String]? {
    get { shared[\.customTypes] }
    set { shared[\.customTypes] = newValue }
  }

  /// The authors; `nil` for all.
  public var senderUserIDs: [String]? {
    get { shared[\.senderUserIDs] }
    set { shared[\.senderUserIDs] = newValue }
  }

  /// Fifteen messages before the place, of all kinds and by everyone.
  public init() {
    shared = SharedValues(Values())
  }

  /// The values at this moment.
  var values: Values { shared.current }

  /// The values of one moment.
  struct Values: Sendable, Hashable {
    var previousResultSize = 15
    var nextResultSize = 0
    var isInclusive = true
    var order = MessageOrder.oldestFirst
    var messageType: MessageTypeFilter?
    var customTypes: [String]?
    var senderUserIDs: [String]?

    var goesBack: Bool { previousResultSize > 0 }
    var goesForth: Bool { nextResultSize > 0 }
    /// Messages asked for, without those at the place itself.
    var size: Int { previousResultSize + nextResultSize }

    func write(into writer: inout JSONWriter) {
      writer.member("prev_limit", previousResultSize)
      writer.member("next_limit", nextResultSize)
      writer.member("include", isInclusive)
      if order == .newestFirst { writer.member("reverse", true) }
      if let messageType { writer.member("message_type", messageType.rawValue) }
      if let customTypes { writer.member("custom_types", customTypes) }
      if let senderUserIDs { writer.member("sender_ids", senderUserIDs) }
    }
  }
}

/// In which order messages are listed.
public enum MessageOrder: Sendable, Hashable {
  /// As a conversation is read.
  case oldestFirst
  /// The latest at the front.
  case newestFirst
}

/// A kind of message to list.
public enum MessageTypeFilter: String, Sendable, Hashable {
  /// ``UserMessage``
  case user = "MESG"
  /// ``FileMessage``
  case file = "FILE"
  /// ``AdminMessage``
  case admin = "ADMM"
}

/// The place that messages are listed around.
public enum MessageAnchor: Sendable, Hashable {
  /// The end of the conversation.
  case now
  /// Unix milliseconds.
  case timestamp(Int64)
  /// A message by its id; one that was deleted stands for its old place.
  case messageID(Int64)

  func write(into writer: inout JSONWriter) {
    switch self {
    case .now: break
    case .timestamp(let time): writer.member("message_ts", time)
    case .messageID(let id): writer.member("message_id", id)
    }
  }
}

/// Messages around a place, and where to go on.
///
/// A page may hold fewer messages than asked for although there are more: an answer of the server is
/// bounded in bytes, and so is the time that it looks for messages that fit.
public struct MessagePage: Sendable {
  /// In the order that was asked for.
  public let messages: [any BaseMessage]
  /// The place to list further messages before these; `nil` when there are none.
  ///
  /// List with ``MessageListParams/isInclusive`` false.
  public let previous: MessageAnchor?
  /// The place to list further messages after these; `nil` when there are none.
  ///
  /// List with ``MessageListParams/isInclusive`` false.
  public let next: MessageAnchor?

  init(json: JSONNode, _ messages: [any BaseMessage]) {
    self.messages = messages
    previous = Self.place("has_previous", "previous_from", of: json)
    next = Self.place("has_next", "next_from", of: json)
  }

  private static func place(_ claim: String, _ name: String, of node: JSONNode) -> MessageAnchor? {
    guard node[claim]?.bool == true, let id = node[name]?.integer, id > 0 else { return nil }
    return .messageID(id)
  }
}
