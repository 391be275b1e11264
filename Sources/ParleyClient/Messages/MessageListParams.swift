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

  /// Whether to include the message at the place, or the messages of that millisecond.
  public var isInclusive: Bool {
    get { shared[\.isInclusive] }
    set { shared[\.isInclusive] = newValue }
  }

  /// The chronological order.
  public var order: MessageOrder {
    get { shared[\.order] }
    set { shared[\.order] = newValue }
  }

  /// The message kind; `nil` for all.
  public var messageType: MessageTypeFilter? {
    get { shared[\.messageType] }
    set { shared[\.messageType] = newValue }
  }

  /// The application-defined types; `nil` for all.
  public var customTypes: [String]? {
    get { shared[\.customTypes] }
    set { shared[\.customTypes] = newValue }
  }

  /// The authors; `nil` for all.
  public var senderUserIDs: [String]? {
    get { shared[\.senderUserIDs] }
    set { shared[\.senderUserIDs] = newValue }
  }

  /// A user whom the messages mention, alone or with the whole channel; `nil` for all messages.
  public var mentionedUserID: String? {
    get { shared[\.mentionedUserID] }
    set { shared[\.mentionedUserID] = newValue }
  }

  /// Whether the messages have a file; `nil` for both.
  public var hasFile: Bool? {
    get { shared[\.hasFile] }
    set { shared[\.hasFile] = newValue }
  }

  /// Whether the messages have a link; `nil` for both.
  public var hasLink: Bool? {
    get { shared[\.hasLink] }
    set { shared[\.hasLink] = newValue }
  }

  /// The earliest time of the last edit, in Unix milliseconds; `nil` for all messages.
  public var updatedSince: Int64? {
    get { shared[\.updatedSince] }
    set { shared[\.updatedSince] = newValue }
  }

  /// The earliest ``BaseMessage/createdAt``, in Unix milliseconds; `nil` for all messages.
  public var createdFrom: Int64? {
    get { shared[\.createdFrom] }
    set { shared[\.createdFrom] = newValue }
  }

  /// The latest ``BaseMessage/createdAt``, in Unix milliseconds; `nil` for all messages.
  public var createdTo: Int64? {
    get { shared[\.createdTo] }
    set { shared[\.createdTo] = newValue }
  }

  /// Creates parameters for the fifteen messages before the place, of all kinds and authors.
  public init() {
    shared = SharedValues(Values())
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var previousResultSize = 15
    var nextResultSize = 0
    var isInclusive = true
    var order = MessageOrder.oldestFirst
    var messageType: MessageTypeFilter?
    var customTypes: [String]?
    var senderUserIDs: [String]?
    var mentionedUserID: String?
    var hasFile: Bool?
    var hasLink: Bool?
    var updatedSince: Int64?
    var createdFrom: Int64?
    var createdTo: Int64?

    var goesBack: Bool { previousResultSize > 0 }
    var goesForth: Bool { nextResultSize > 0 }
    /// The number of requested messages, without those at the place itself.
    var size: Int { previousResultSize + nextResultSize }

    func write(into writer: inout JSONWriter) {
      writer.member("prev_limit", previousResultSize)
      writer.member("next_limit", nextResultSize)
      writer.member("include", isInclusive)
      if order == .newestFirst { writer.member("reverse", true) }
      if let messageType { writer.member("message_type", messageType.rawValue) }
      if let customTypes { writer.member("custom_types", customTypes) }
      if let senderUserIDs { writer.member("sender_ids", senderUserIDs) }
      if let mentionedUserID { writer.member("mentioned_user_id", mentionedUserID) }
      if let hasFile { writer.member("has_file", hasFile) }
      if let hasLink { writer.member("has_link", hasLink) }
      if let updatedSince { writer.member("updated_since", updatedSince) }
      if let createdFrom { writer.member("from_ts", createdFrom) }
      if let createdTo { writer.member("to_ts", createdTo) }
    }
  }
}

/// The order of listed messages.
public enum MessageOrder: Sendable, Hashable {
  /// Oldest message first.
  case oldestFirst
  /// Newest message first.
  case newestFirst
}

/// A message kind to list.
public enum MessageTypeFilter: String, Sendable, Hashable {
  /// ``UserMessage``
  case user = "MESG"
  /// ``FileMessage``
  case file = "FILE"
  /// ``AdminMessage``
  case admin = "ADMM"
}

/// The place around which messages are listed.
public enum MessageAnchor: Sendable, Hashable {
  /// The end of the conversation.
  case now
  /// Unix milliseconds.
  case timestamp(Int64)
  /// A message by id; a deleted message stands for its former place.
  case messageID(Int64)

  func write(into writer: inout JSONWriter) {
    switch self {
    case .now: break
    case .timestamp(let time): writer.member("message_ts", time)
    case .messageID(let id): writer.member("message_id", id)
    }
  }
}

/// Messages around a place, and the places for further requests.
///
/// A page may hold fewer messages than requested although there are more: the server bounds the
/// size of a response, and the time for which it searches for matching messages.
public struct MessagePage: Sendable {
  /// The messages in the requested order.
  public let messages: [any BaseMessage]
  /// The place for listing messages before these; `nil` if there are none.
  ///
  /// Use it with ``MessageListParams/isInclusive`` false.
  public let previous: MessageAnchor?
  /// The place for listing messages after these; `nil` if there are none.
  ///
  /// Use it with ``MessageListParams/isInclusive`` false.
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
