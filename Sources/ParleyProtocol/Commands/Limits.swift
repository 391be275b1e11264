/// The contract's fixed limits on values; lengths are Unicode scalars unless the name says bytes.
///
/// ``CustomDataLimits`` has those that settings can change.
package enum Limits {
  /// An answer, as JSON; a page of a list ends before it would hold more.
  package static let answerByteCount = 524_288
  /// An event, as JSON.
  package static let eventByteCount = 65_536
  /// A message as JSON, without its users and its preview.
  package static let messageByteCount = 49_152
  /// A message's preview, as JSON.
  package static let previewByteCount = 14_336
  /// A channel as JSON, without its operators.
  package static let channelByteCount = 31_744
  /// The mentioned users of a message, or the operators of a channel, as JSON.
  package static let userListByteCount = 32_768
  /// A user in a message, a channel or an event at its longest, as JSON: each text all escapes.
  package static let userReferenceByteCount =
    6 * (userIDLength + nicknameLength + profileURLLength) + 64

  package static let userIDLength = 80
  package static let nicknameLength = 80
  package static let profileURLLength = 2048
  /// Room for a JSON Web Token with a long list of claims.
  package static let accessTokenLength = 8192

  package static let channelURLLengths = 4...100
  package static let channelNameLength = 191
  package static let coverURLLength = 2048
  package static let operatorCount = 100

  package static let messageLength = 5000
  package static let adminMessageLength = 1000
  package static let requestIDLength = 64
  package static let fileURLLength = 2048
  package static let fileNameLength = 255
  package static let fileTypeLength = 128
  package static let fileIDLength = 64
  /// File messages that one call sends.
  package static let filesPerCall = 20
  /// Channels with messages that have the same file.
  package static let fileChannelCount = 1000
  package static let fetchIDLength = 64
  /// As much as the longest link in its normal form.
  package static let previewURLLength = 2048
  /// The times that a fetch of a preview may take, in milliseconds.
  package static let previewTimeouts: ClosedRange<Int64> = 100...30_000
  package static let thumbnailCount = 3
  package static let thumbnailSides: ClosedRange<Int64> = 1...2_000
  /// Over the socket.
  package static let mentionedUserCount = 10
  /// Over the Platform API.
  package static let platformMentionedUserCount = 100
  /// Exact in JavaScript: 1 to 2^53 − 1.
  package static let messageIDs: ClosedRange<Int64> = 1...(1 << 53) - 1
  /// Unix milliseconds that are exact in JavaScript.
  package static let timestamps: ClosedRange<Int64> = 0...(1 << 53) - 1
  /// The times that imported messages may have, in Unix milliseconds: from 1973 on, so that seconds are
  /// noticed.
  package static let importTimes: ClosedRange<Int64> = 100_000_000_000...(1 << 53) - 1

  /// Bans of a channel that hold at a time, and as many mutes.
  package static let restrictionCount = 10_000
  package static let banDescriptionLength = 250
  package static let muteDescriptionLength = 2048
  /// The longest mute or ban that can be asked for, some 68 years.
  package static let restrictionSeconds: Int64 = 2_147_483_647

  package static let apiTokenNameLength = 128
  /// Room for any language tag in use (RFC 5646 §4.4.1).
  package static let languageTagLength = 35
  /// Languages that one request may name.
  package static let languageCount = 10

  /// Values in a list that only filters: custom types, senders.
  package static let filterCount = 100
  /// Users in the filter of a list of users, over the Platform API.
  package static let userFilterCount = 250
  /// Room for the token of a list that is ordered by links of 2,048 bytes.
  package static let pageTokenLength = 2_560
  package static let epochLength = 128
  package static let pageSizes: ClosedRange<Int64> = 1...100
  package static let defaultPageSize: Int64 = 10
  package static let messagePageSizes: ClosedRange<Int64> = 0...200
  package static let defaultPreviousLimit: Int64 = 15
  package static let defaultNextLimit: Int64 = 0
}
