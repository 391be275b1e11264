import Basics
import Channels
import Configuration
import ParleyProtocol
import Store

/// The lines of an export: a JSON object each, or comma-separated values with a line of names first.
///
/// A pure value that turns rows into bytes.
struct ExportLines: Sendable {
  let parameters: ExportParameters
  private let rules: GroupRules
  private let online: OnlineUsers
  private let counts: ParticipantCounts

  init(_ parameters: ExportParameters, _ services: GatewayServices) {
    self.init(
      parameters, GroupRules(services.settings.groups), services.onlineUsers,
      services.participantCounts)
  }

  init(
    _ parameters: ExportParameters, _ rules: GroupRules, _ online: OnlineUsers,
    _ counts: ParticipantCounts
  ) {
    self.parameters = parameters
    self.rules = rules
    self.online = online
    self.counts = counts
  }

  /// The line of names; nothing for JSON.
  var head: [UInt8] {
    guard parameters.format == .csv else { return [] }
    let names =
      switch parameters.subject {
      case .messages: Self.messageColumns
      case .channels: Self.channelColumns
      case .users: Self.userColumns
      }
    var line = CSVLine(delimiter: parameters.delimiter)
    for name in names { line.append(name) }
    line.end()
    return line.bytes
  }

  var messages: some ExportEncoder<FoundMessage> { Encoder { self.append($0, to: &$1) } }
  var channels: some ExportEncoder<ExportedChannel> { Encoder { self.append($0, to: &$1) } }
  var users: some ExportEncoder<Account> { Encoder { self.append($0, to: &$1) } }

  private struct Encoder<Row>: ExportEncoder {
    let write: @Sendable (Row, inout [UInt8]) -> Void

    func append(_ row: Row, to bytes: inout [UInt8]) { write(row, &bytes) }
  }

  private func append(json write: (inout JSONWriter) -> Void, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: JSONWriter.bytes(reserving: 1_024, write))
    bytes.append(UInt8(ascii: "\n"))
  }

  private func append(csv write: (inout CSVLine) -> Void, to bytes: inout [UInt8]) {
    var line = CSVLine(delimiter: parameters.delimiter, after: bytes)
    bytes = []
    write(&line)
    line.end()
    bytes = line.bytes
  }

  /// A time in the zone of the export.
  private func time(_ milliseconds: Int64) -> String {
    guard milliseconds > 0 else { return "" }
    let text = UTCTime.format(milliseconds + Int64(parameters.offset) * 60_000)
    return parameters.offset == 0 ? text : text.dropLast() + parameters.zone
  }
}

// MARK: Messages

extension ExportLines {
  private static let messageColumns = [
    "message_id", "type", "channel_url", "channel_type", "user_id", "nickname", "message",
    "file_name", "file_type", "file_size", "file_url", "custom_type", "data", "mention_type",
    "mentioned_user_ids", "sorted_metaarray", "translations", "is_op_msg", "silent", "created_at",
    "updated_at",
  ]

  private func append(_ found: FoundMessage, to bytes: inout [UInt8]) {
    let message = found.listed.message
    switch parameters.format {
    case .json:
      let authors = MessageAuthors(found.operatorIDs, deactivatedIDs: found.listed.deactivatedIDs)
      append(json: { message.encodeForPlatform(authors, into: &$0) }, to: &bytes)
    case .csv: append(csv: { append(message, to: &$0) }, to: &bytes)
    }
  }

  private func append(_ message: Message, to line: inout CSVLine) {
    line.append(message.id)
    line.append(message.type.rawValue)
    line.append(message.channelURL)
    line.append(message.channelKind.rawValue)
    line.append(message.user?.id ?? "")
    line.append(message.user?.nickname ?? "")
    line.append(message.text)
    line.append(message.file?.name ?? "")
    line.append(message.file?.type ?? "")
    line.append(message.file.map { String($0.size) } ?? "")
    line.append(message.file?.url ?? "")
    line.append(message.customType)
    line.append(message.data)
    line.append(message.mentionType.rawValue)
    line.append(
      json: message.mentionedUsers.isEmpty,
      { $0.array { for user in message.mentionedUsers { $0.value(user.id) } } })
    line.append(json: message.metaArrays.isEmpty) { message.metaArrays.encode(into: &$0) }
    line.append(json: message.translations.isEmpty) { writer in
      writer.object {
        for (language, text) in message.translations.sorted(by: { $0.key < $1.key }) {
          $0.name(escaping: language)
          $0.value(text)
        }
      }
    }
    line.append(message.isOperatorMessage)
    line.append(message.isSilent)
    line.append(time(message.createdAt))
    line.append(time(message.updatedAt))
  }
}

// MARK: Users

extension ExportLines {
  private static let userColumns = [
    "user_id", "nickname", "profile_url", "is_active", "last_seen_at", "metadata", "created_at",
  ]

  private func append(_ account: Account, to bytes: inout [UInt8]) {
    switch parameters.format {
    case .json:
      append(json: { account.encode(token: nil, onlineIDs: [], into: &$0) }, to: &bytes)
    case .csv:
      append(
        csv: { line in
          line.append(account.user.id)
          line.append(account.user.nickname)
          line.append(account.user.profileURL)
          line.append(account.isActive)
          line.append(time(account.lastSeenAt))
          line.append(metadata: account.user.metadata)
          line.append(time(account.createdAt))
        }, to: &bytes)
    }
  }
}

// MARK: Channels

extension ExportLines {
  private static let channelColumns = [
    "channel_url", "channel_type", "name", "cover_url", "custom_type", "data", "is_ephemeral",
    "freeze", "is_distinct", "is_public", "is_super", "member_count", "joined_member_count",
    "participant_count", "operator_ids", "created_by", "metadata", "read_receipt", "created_at",
  ]

  private func append(_ exported: ExportedChannel, to bytes: inout [UInt8]) {
    switch parameters.format {
    case .json: append(json: { append(exported, to: &$0) }, to: &bytes)
    case .csv: append(csv: { append(exported, to: &$0) }, to: &bytes)
    }
  }

  private func append(_ exported: ExportedChannel, to writer: inout JSONWriter) {
    switch exported.content {
    case .open(var channel):
      if !parameters.showsMetadata { channel.metadata = [:] }
      ChannelInfo(channel, participantCount: counts[channel.url]).encodeForPlatform(into: &writer)
    case .group(var group):
      if !parameters.showsMetadata { group.state.channel.metadata = [:] }
      var receipts = GroupReceipts()
      for one in exported.readTimes ?? [] { receipts.read[one.userID] = one.time }
      let parts = GroupParts(receipts: exported.readTimes == nil ? [] : .read)
      GroupAnswer(group, online, rules).encodeForPlatform(
        parts, MessageAuthors(group), receipts: receipts, into: &writer)
    }
  }

  private func append(_ exported: ExportedChannel, to line: inout CSVLine) {
    let channel: Channel =
      switch exported.content {
      case .open(let channel): channel
      case .group(let group): group.state.channel
      }
    let group = channel.group
    line.append(channel.url)
    line.append(channel.kind.rawValue)
    for text in [channel.name, channel.coverURL, channel.customType, channel.data] {
      line.append(text)
    }
    line.append(channel.isEphemeral)
    line.append(channel.isFrozen)
    line.append(group?.isDistinct ?? false)
    line.append(group?.isPublic ?? false)
    line.append(group?.isSuper ?? false)
    line.append(Int64(group?.memberCount ?? 0))
    line.append(Int64(group?.joinedCount ?? 0))
    line.append(Int64(group == nil ? counts[channel.url] : 0))
    line.append(
      json: channel.operators.isEmpty,
      { $0.array { for user in channel.operators { $0.value(user.id) } } })
    line.append(group?.createdBy?.id ?? "")
    line.append(metadata: parameters.showsMetadata ? channel.metadata : [:])
    let reads = exported.readTimes ?? []
    line.append(json: reads.isEmpty) { writer in
      writer.object {
        for one in reads {
          $0.name(escaping: one.userID)
          $0.value(one.time)
        }
      }
    }
    line.append(time(channel.createdAt))
  }
}

extension CSVLine {
  /// Appends a cell with JSON, or an empty one.
  fileprivate mutating func append(json isEmpty: Bool, _ write: (inout JSONWriter) -> Void) {
    append(isEmpty ? "" : String(decoding: JSONWriter.bytes(write), as: UTF8.self))
  }

  fileprivate mutating func append(metadata: [String: String]) {
    append(json: metadata.isEmpty) { writer in
      writer.object {
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
          $0.name(escaping: key)
          $0.value(value)
        }
      }
    }
  }
}
