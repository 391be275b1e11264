internal import ParleyProtocol

/// The words of a search, the messages among which it looks, and the order of those found.
public final class MessageSearchQueryParams: Sendable {
  private let shared: SharedValues<Values>

  /// 1 to 128 characters: words that all occur, or `"a phrase"` in quotes.
  ///
  /// The last word also finds longer words. Case, accents and width make no difference.
  public var keyword: String {
    get { shared[\.keyword] }
    set { shared[\.keyword] = newValue }
  }

  /// The channel or group; `nil` for everything that the user may read.
  public var channelURL: String? {
    get { shared[\.channelURL] }
    set { shared[\.channelURL] = newValue }
  }

  /// The application-defined type of the channels; `nil` for all.
  public var channelCustomType: String? {
    get { shared[\.channelCustomType] }
    set { shared[\.channelCustomType] = newValue }
  }

  /// The earliest ``BaseMessage/createdAt``, in Unix milliseconds; `nil` for all messages.
  public var messageTimestampFrom: Int64? {
    get { shared[\.messageTimestampFrom] }
    set { shared[\.messageTimestampFrom] = newValue }
  }

  /// The latest ``BaseMessage/createdAt``, in Unix milliseconds; `nil` for all messages.
  public var messageTimestampTo: Int64? {
    get { shared[\.messageTimestampTo] }
    set { shared[\.messageTimestampTo] = newValue }
  }

  /// The order of the messages.
  public var order: MessageSearchOrder {
    get { shared[\.order] }
    set { shared[\.order] = newValue }
  }

  /// Whether the order is the other way round.
  public var reverse: Bool {
    get { shared[\.reverse] }
    set { shared[\.reverse] = newValue }
  }

  /// Whether the keyword is one phrase of whole words.
  public var exactMatch: Bool {
    get { shared[\.exactMatch] }
    set { shared[\.exactMatch] = newValue }
  }

  /// The largest number of items on a page, 1 to 100.
  public var limit: Int {
    get { shared[\.limit] }
    set { shared[\.limit] = newValue }
  }

  /// Creates a search among all messages that the user may read, 20 on a page, newest first.
  public init(keyword: String = "", channelURL: String? = nil) {
    shared = SharedValues(Values(keyword: keyword, channelURL: channelURL))
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var keyword = ""
    var channelURL: String?
    var channelCustomType: String?
    var messageTimestampFrom: Int64?
    var messageTimestampTo: Int64?
    var order = MessageSearchOrder.timestamp
    var reverse = false
    var exactMatch = false
    var limit = 20

    func write(into writer: inout JSONWriter) {
      writer.member("query", keyword)
      if let channelURL { writer.member("channel_url", channelURL) }
      if let channelCustomType { writer.member("channel_custom_type", channelCustomType) }
      if let messageTimestampFrom { writer.member("from_ts", messageTimestampFrom) }
      if let messageTimestampTo { writer.member("to_ts", messageTimestampTo) }
      if order != .timestamp { writer.member("order", order.rawValue) }
      if reverse { writer.member("reverse", true) }
      if exactMatch { writer.member("exact_match", true) }
      writer.member("limit", limit)
    }
  }
}

/// The order of the messages that a search finds.
public enum MessageSearchOrder: String, Sendable, Hashable {
  /// Newest message first.
  case timestamp = "time"
  /// Best match first, among the newest 1,000 messages found.
  case score
}
