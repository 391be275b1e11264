import Basics
import ParleyProtocol
import Store

/// The parameters of an export, of a job or of a page.
struct ExportParameters: Sendable, Hashable {
  /// The data that an export writes.
  enum Subject: String, Sendable, CaseIterable {
    case messages
    case channels
    case users
  }

  enum Format: String, Sendable, CaseIterable {
    /// One JSON object a line, as the Platform API shows it.
    case json
    case csv
  }

  /// Channels and users that one export names.
  static let listLimit = 1_000

  var subject: Subject
  var format = Format.json
  var delimiter: Character = ","
  /// The difference of the times in CSV to UTC, in minutes.
  var offset = 0
  /// Whether a group is shown with how far its members have read.
  var showsReadReceipts = false
  var showsMetadata = true
  var filter = ExportFilter()

  /// - Parameter fields: The body of a job, or the query of a page.
  /// - Throws: 400111 for a value out of its range or a parameter of another kind of data, and the errors
  ///   of types and sizes.
  init(_ subject: Subject, _ fields: Fields) throws(ServiceError) {
    self.subject = subject
    format = try fields.choice("format", of: Format.self) ?? .json
    if let text = try fields.text("csv_delimiter", limit: 100) {
      delimiter = try Self.delimiter(text)
    }
    if let text = try fields.text("timezone", limit: 100) { offset = try Self.offset(text) }
    showsReadReceipts = try fields.boolean("show_read_receipt") ?? false
    showsMetadata = try fields.boolean("show_channel_metadata") ?? true
    filter.start = try fields.integer("start_ts", in: Self.times)
    filter.end = try fields.integer("end_ts", in: Self.times)
    if let start = filter.start, let end = filter.end, end < start {
      throw .invalid("end_ts", "\(end)", expected: "a time not before start_ts, \(start),")
    }
    filter.channelURLs = try Self.urls("channel_urls", fields, of: subject)
    filter.excludedChannelURLs = try Self.urls("exclude_channel_urls", fields, of: subject)
    filter.senderIDs = try Self.userIDs("sender_ids", fields, only: .messages, subject)
    filter.excludedSenderIDs = try Self.userIDs(
      "exclude_sender_ids", fields, only: .messages, subject)
    filter.userIDs = try Self.userIDs("user_ids", fields, only: .users, subject)
  }

  /// The parameters of a stored request.
  ///
  /// - Parameter params: From ``json``.
  init?(_ subject: String, params: String) {
    guard let subject = Subject(rawValue: subject),
      let fields = try? Fields(body: Array(params.utf8)),
      let parameters = try? ExportParameters(subject, fields)
    else { return nil }
    self = parameters
  }

  private static let times: ClosedRange<Int64> = 0...9_007_199_254_740_991

  private static func delimiter(_ text: String) throws(ServiceError) -> Character {
    guard text.count == 1, let delimiter = text.first, CSVLine.delimiters.contains(delimiter) else {
      throw .invalid("csv_delimiter", text, expected: "one of , ; | and a tab")
    }
    return delimiter
  }

  /// Parses `UTC`, or a difference such as `+09:00`.
  private static func offset(_ text: String) throws(ServiceError) -> Int {
    if text == "UTC" || text == "Z" { return 0 }
    let bytes = Array(text.utf8)
    func number(_ place: Int) -> Int? {
      let digits = bytes[place..<place + 2]
      guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return nil
      }
      return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[0]),
      let hours = number(1), let minutes = number(4), hours <= 14, minutes < 60
    else {
      throw .invalid("timezone", text, expected: "UTC or a difference to it, such as +09:00,")
    }
    let offset = hours * 60 + minutes
    return bytes[0] == UInt8(ascii: "-") ? -offset : offset
  }

  private static func urls(
    _ name: String, _ fields: Fields, of subject: Subject
  ) throws(ServiceError) -> [String] {
    let urls = try fields.texts(
      name, countLimit: listLimit, limit: Limits.channelURLLengths.upperBound)
    guard let urls, !urls.isEmpty else { return [] }
    guard subject != .users else { throw .foreign(name, to: subject) }
    for url in urls { try ChannelURL.check(url, name) }
    return urls
  }

  private static func userIDs(
    _ name: String, _ fields: Fields, only owner: Subject, _ subject: Subject
  ) throws(ServiceError) -> [String] {
    guard let ids = try fields.userIDs(name, limit: listLimit), !ids.isEmpty else { return [] }
    guard subject == owner else { throw .foreign(name, to: subject) }
    return ids
  }
}

extension ExportParameters {
  /// The names of the parameters of an export.
  static let names = [
    "start_ts", "end_ts", "format", "csv_delimiter", "timezone", "channel_urls",
    "exclude_channel_urls", "sender_ids", "exclude_sender_ids", "user_ids", "show_read_receipt",
    "show_channel_metadata",
  ]

  /// The parameters as the members of a JSON object, without empty ones.
  func encode(into writer: inout JSONWriter) {
    writer.object {
      if let start = filter.start { $0.member("start_ts", start) }
      if let end = filter.end { $0.member("end_ts", end) }
      $0.member("format", format.rawValue)
      if format == .csv {
        $0.member("csv_delimiter", String(delimiter))
        $0.member("timezone", timezone)
      }
      for (name, values) in lists where !values.isEmpty { $0.member(name, values) }
      if subject == .channels {
        $0.member("show_read_receipt", showsReadReceipts)
        $0.member("show_channel_metadata", showsMetadata)
      }
    }
  }

  /// The form in the store.
  var json: String {
    String(decoding: JSONWriter.bytes { encode(into: &$0) }, as: UTF8.self)
  }

  private var lists: [(StaticString, [String])] {
    [
      ("channel_urls", filter.channelURLs), ("exclude_channel_urls", filter.excludedChannelURLs),
      ("sender_ids", filter.senderIDs), ("exclude_sender_ids", filter.excludedSenderIDs),
      ("user_ids", filter.userIDs),
    ]
  }

  private var timezone: String { offset == 0 ? "UTC" : zone }

  /// The difference to UTC, such as `+09:00`.
  var zone: String {
    let (hours, minutes) = abs(offset).quotientAndRemainder(dividingBy: 60)
    return "\(offset < 0 ? "-" : "+")\(hours.decimal(width: 2)):\(minutes.decimal(width: 2))"
  }
}

extension ServiceError {
  /// A parameter that another kind of data has.
  fileprivate static func foreign(
    _ name: String, to subject: ExportParameters.Subject
  ) -> ServiceError {
    ServiceError(
      .invalidValue, "'\(name)' is not a parameter of an export of \(subject.rawValue)", field: name
    )
  }
}
