import Channels
import ParleyProtocol

@testable import Store

/// Steps of tests over the statements that entries of the log are carried out with.
extension WriteTransaction {
  /// Edits a message, sets its `updated_at`, and records `message.updated`.
  ///
  /// - Throws: `StoreError.notFound(.message)`.
  func updateMessage(
    _ id: Int64, channelID: Int64, _ changes: MessageChanges, preview: PreviewChange = .keep,
    at timestamp: Int64
  ) throws -> SequencedMessage {
    var message = try existingMessage(id, channelID: channelID)
    if let text = changes.text { message.text = text }
    if let data = changes.data { message.data = data }
    if let customType = changes.customType { message.customType = customType }
    if let mentionType = changes.mentionType { message.mentionType = mentionType }
    if let ids = changes.mentionedUserIDs { message.mentionedUsers = try usersInOrder(ids) }
    if case .replace(let tag) = preview { message.openGraphTag = tag }
    message.updatedAt = timestamp
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Changes a message's extra data and records `message.updated`; `updated_at` stays.
  ///
  /// - Parameter change: Gets the list as it is; when it throws, nothing changes.
  /// - Throws: `StoreError.notFound(.message)`, and what `change` throws.
  func changeMetaArrays(
    _ id: Int64, channelID: Int64, at timestamp: Int64,
    _ change: (inout [MetaArray]) throws -> Void
  ) throws -> SequencedMessage {
    var message = try existingMessage(id, channelID: channelID)
    try change(&message.metaArrays)
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Puts a link preview on a message and records `message.updated`; `updated_at` stays.
  ///
  /// - Parameter text: What the message said when the preview was asked for.
  /// - Returns: `nil` when the message is gone, says something else by now, or has this preview
  ///   already.
  func setPreview(
    _ id: Int64, channelID: Int64, ifTextIs text: String, tag: OpenGraphTag?,
    at timestamp: Int64
  ) throws -> SequencedMessage? {
    guard var message = try message(id, channelID: channelID)?.message, message.text == text,
      message.openGraphTag != tag
    else { return nil }
    message.openGraphTag = tag
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Adds translations to a message and records `message.updated`; `updated_at` stays.
  ///
  /// - Returns: `nil` when the message is gone or says something else by now.
  func addTranslations(
    _ id: Int64, channelID: Int64, ifTextIs text: String, _ translations: [String: String],
    at timestamp: Int64
  ) throws -> SequencedMessage? {
    guard var message = try message(id, channelID: channelID)?.message, message.text == text else {
      return nil
    }
    message.translations.merge(translations) { _, new in new }
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  private func existingMessage(_ id: Int64, channelID: Int64) throws -> Message {
    guard let found = try message(id, channelID: channelID) else {
      throw StoreError.notFound(.message)
    }
    return found.message
  }

  /// Changes what is given, and records `channel.changed` if that makes a difference.
  ///
  /// - Throws: `ServiceError` when the channel would not fit into an event.
  func updateChannel(
    _ url: String, _ changes: ChannelChanges, at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    let channel = changes.applied(to: state.channel)
    try channel.checkSize(after: state.channel)
    return try setFields(url, changes, at: timestamp)
  }

  /// Bans a user until `restriction.endsAt` and records `channel.user_banned`.
  ///
  /// A ban that there is already is replaced.
  /// - Throws: `StoreError.notFound` for a channel or user that there is not.
  func ban(channelURL: String, _ restriction: Restriction) throws -> LoggedEvent {
    try impose(.ban, restriction, channelID: existingChannelID(channelURL)).event
  }

  /// Mutes a user until `restriction.endsAt` and records `channel.user_muted`; otherwise as `ban`.
  func mute(channelURL: String, _ restriction: Restriction) throws -> LoggedEvent {
    try impose(.mute, restriction, channelID: existingChannelID(channelURL)).event
  }

  /// Lifts a ban and records `channel.user_unbanned`; `nil` when there was none that held.
  func unban(
    channelURL: String, userID: String, at timestamp: Int64
  ) throws -> LoggedEvent? {
    try lift(
      .ban, channelID: existingChannelID(channelURL), userID: userID, at: timestamp
    ).event
  }

  /// Lifts a mute and records `channel.user_unmuted`; `nil` when there was none that held.
  func unmute(
    channelURL: String, userID: String, at timestamp: Int64
  ) throws -> LoggedEvent? {
    try lift(
      .mute, channelID: existingChannelID(channelURL), userID: userID, at: timestamp
    ).event
  }

  private func existingChannelID(_ url: String) throws -> Int64 {
    guard let id = try channelRow(url)?.id else { throw StoreError.notFound(.channel) }
    return id
  }
}

/// The change of a message's link preview when the message is changed.
enum PreviewChange: Sendable, Hashable {
  case keep
  case replace(OpenGraphTag?)
}
