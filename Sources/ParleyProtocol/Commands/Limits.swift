/// The fixed limits of the API contract; lengths are in Unicode scalars unless the name says bytes.
///
/// ``CustomDataLimits`` contains the limits that settings can change.
package enum Limits {
  /// The size of an answer as JSON; a page of a list ends before it would exceed the limit.
  package static let answerByteCount = 524_288
  /// The size of an event as JSON.
  package static let eventByteCount = 65_536
  /// The size of a message as JSON, without its users and its preview.
  package static let messageByteCount = 49_152
  /// The size of a message's preview as JSON.
  package static let previewByteCount = 14_336
  /// The size of a channel as JSON, without its operators.
  package static let channelByteCount = 31_744
  /// The size of the mentioned users of a message, or the operators of a channel, as JSON.
  package static let userListByteCount = 32_768
  /// The maximum size of a user in a message, channel or event as JSON, if all characters are escaped.
  package static let userReferenceByteCount =
    6 * (userIDLength + nicknameLength + profileURLLength) + 64

  package static let userIDLength = 80
  package static let nicknameLength = 80
  package static let profileURLLength = 2048
  /// Enough for a JSON Web Token with a long list of claims.
  package static let accessTokenLength = 8192

  package static let channelURLLengths = 4...100
  package static let channelNameLength = 191
  package static let coverURLLength = 2048
  package static let operatorCount = 100
  package static let accessCodeLength = 50
  /// The number of users in one call about members.
  package static let memberListCount = 100
  /// The highest setting for the groups that a user may have joined.
  package static let joinedGroupCount = 10_000
  /// The number of users whom a user may block.
  package static let blockedUserCount = 1_000
  /// Above this number of members, a group reports their numbers only.
  package static let namedMemberCount = 100
  package static let defaultMemberPageSize: Int64 = 20
  /// Lists of groups, and numbers over all groups, that a user requests each second after a pause.
  package static let groupQueriesPerSecond = 5
  /// The maximum number of such calls at once.
  package static let groupQueryBurst = 20
  /// The marks as read or unread of a member in a group that are carried out at once.
  package static let readMarksPerSecond = 3
  /// The days for which changes of a user's groups, and of messages, are kept.
  package static let changesDays = 30

  package static let messageLength = 5000
  package static let adminMessageLength = 1000
  package static let requestIDLength = 64
  package static let fileURLLength = 2048
  package static let fileNameLength = 255
  package static let fileTypeLength = 128
  package static let fileIDLength = 64
  /// The number of file messages that one call may send.
  package static let filesPerCall = 20
  /// The number of channels with messages that refer to the same file.
  package static let fileChannelCount = 1000
  package static let fetchIDLength = 64
  /// The length of the longest link in its normal form.
  package static let previewURLLength = 2048
  /// The allowed timeouts for fetching a preview, in milliseconds.
  package static let previewTimeouts: ClosedRange<Int64> = 100...30_000
  package static let thumbnailCount = 3
  package static let thumbnailSides: ClosedRange<Int64> = 1...2_000
  /// The limit over the socket.
  package static let mentionedUserCount = 10
  /// The limit over the Platform API.
  package static let platformMentionedUserCount = 100
  /// The message ids that are exact in JavaScript: 1 to 2^53 − 1.
  package static let messageIDs: ClosedRange<Int64> = 1...(1 << 53) - 1
  /// Unix milliseconds that are exact in JavaScript.
  package static let timestamps: ClosedRange<Int64> = 0...(1 << 53) - 1
  /// The times allowed for imported messages, in Unix milliseconds: from 1973 on, so that times in
  /// seconds are detected.
  package static let importTimes: ClosedRange<Int64> = 100_000_000_000...(1 << 53) - 1

  /// The number of bans of a channel in force at a time, and also the number of mutes.
  package static let restrictionCount = 10_000
  package static let banDescriptionLength = 250
  package static let muteDescriptionLength = 2048
  /// The longest mute or ban that can be requested, about 68 years.
  package static let restrictionSeconds: Int64 = 2_147_483_647
  /// The shortest and the longest time of its own for which a channel keeps messages; the longest is about
  /// 100 years.
  package static let survivalSeconds: ClosedRange<Int64> = 1...36_500 * 86_400

  package static let reportDescriptionLength = 1_000
  package static let reportCategoryLength = 50
  package static let reportNoteLength = 1_000
  /// The number of words of a word filter.
  package static let filterKeywordCount = 500
  package static let filterKeywordLength = 100
  /// The number of reports, open and closed, that a deployment keeps.
  package static let reportCount = 10_000
  /// The number of open reports of a user.
  package static let openReportCount = 100
  /// Reports that a user makes each second after a pause.
  package static let reportsPerSecond = 1
  /// The maximum number of such calls at once.
  package static let reportBurst = 10

  /// The calls of `push.*` of a user per second.
  package static let pushCallsPerSecond = 5
  package static let pushTokenLength = 4_096
  package static let pushEndpointLength = 2_048
  package static let pushDeviceIDLength = 128
  package static let pushSoundLength = 128
  /// Enough for an uncompressed point of the curve P-256 in base64url.
  package static let pushKeyLength = 128
  /// The number of tokens of a user and type; a further one replaces the oldest.
  package static let pushTokenCount = 20
  /// The number of windows without pushes on a day of the week.
  package static let pushWindowCount = 10
  package static let timeZoneLength = 64

  package static let apiTokenNameLength = 128
  /// Enough for any language tag in use (RFC 5646 §4.4.1).
  package static let languageTagLength = 35
  /// The number of languages in one request.
  package static let languageCount = 10

  /// The length of a search query in characters.
  package static let searchQueryLength = 128
  package static let defaultSearchPageSize: Int64 = 20
  /// The number of found messages that a search counts, and orders by score.
  package static let searchCount = 1_000
  /// The time of a search in milliseconds, after which it returns a partial result.
  package static let searchMilliseconds = 200
  /// Searches that a user may start each second.
  package static let searchesPerSecond = 5
  /// Searches of a user that run at the same time.
  package static let concurrentSearches = 2

  /// The number of values in a list that only filters: custom types, senders.
  package static let filterCount = 100
  /// The number of users in the filter of a list of users, over the Platform API.
  package static let userFilterCount = 250
  /// Enough for the token of a list that is ordered by links of 2,048 bytes.
  package static let pageTokenLength = 2_560
  package static let epochLength = 128
  package static let pageSizes: ClosedRange<Int64> = 1...100
  package static let defaultPageSize: Int64 = 10
  package static let messagePageSizes: ClosedRange<Int64> = 0...200
  package static let defaultPreviousLimit: Int64 = 15
  package static let defaultNextLimit: Int64 = 0
}
