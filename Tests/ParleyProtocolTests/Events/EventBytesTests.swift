import ParleyProtocol
import Testing

/// An event with the members of its `params`, written out.
struct EventSample: Sendable, CustomTestStringConvertible {
  let event: Event
  let origin: EventOrigin
  /// The members before those of the event itself.
  let originJSON: String
  let members: String

  var testDescription: String { event.name.rawValue }
}

extension EventSample {
  private static let jeff = User(
    id: "jeff", nickname: "Jeff \"J\"", profileURL: "https://a.b/j.png", metadata: ["team": "red"])
  private static let jeffJSON =
    #"{"user_id":"jeff","nickname":"Jeff \"J\"","profile_url":"https://a.b/j.png"}"#
  private static let ann = User(id: "ann")
  private static let annJSON = #"{"user_id":"ann","nickname":"","profile_url":""}"#

  static let message = Message(
    id: 17_300_000_000_001, type: .file, channelURL: "lobby", user: jeff, text: "see\n\u{1}語",
    file: MessageFile(url: "https://a.b/f", name: "f", type: "image/png", size: 3),
    data: #"{"a":1}"#, customType: "c", mentionType: .channel, mentionedUsers: [ann],
    metaArrays: [MetaArray(key: "games", values: ["soccer"])],
    openGraphTag: OpenGraphTag(
      title: "T", image: OpenGraphImage(url: "https://a.b/i", width: 12, height: 6)),
    translations: ["ko": "x", "de": "y"], requestID: "r", isOperatorMessage: true,
    createdAt: 1_730_000_000_000, updatedAt: 7)
  static let messageJSON =
    #"{"type":"FILE","message_id":17300000000001,"channel_url":"lobby","#
    + #""channel_type":"open_channels","user":\#(jeffJSON),"message":"see\n\u0001語","#
    + #""data":"{\"a\":1}","custom_type":"c","mention_type":"channel","#
    + #""mentioned_users":[\#(annJSON)],"sorted_metaarray":[{"key":"games","value":["soccer"]}],"#
    + #""og_tag":{"og:title":"T","og:url":null,"og:description":null,"og:image":"#
    + #"{"url":"https://a.b/i","secure_url":null,"type":null,"width":12,"height":6,"alt":null}},"#
    + #""translations":{"de":"y","ko":"x"},"#
    + #""file":{"file_id":"","url":"https://a.b/f","name":"f","type":"image/png","size":3,"#
    + #""require_auth":false,"thumbnails":[]},"#
    + #""req_id":"r","created_at":1730000000000,"updated_at":7}"#

  private static let channel = Channel(
    url: "lobby", name: "Lobby", coverURL: "https://a.b/c", data: "d", customType: "c",
    isEphemeral: true, isFrozen: true, operators: [jeff], metadata: ["a": "b"], createdAt: 12)
  private static let channelJSON =
    #"{"channel_url":"lobby","name":"Lobby","cover_url":"https://a.b/c","data":"d","#
    + #""custom_type":"c","is_ephemeral":true,"freeze":true,"participant_count":3,"#
    + #""max_length_message":5000,"operators":[\#(jeffJSON)],"created_at":12}"#

  private static let group = ChannelInfo(
    Channel(
      url: "lobby", name: "Team", operators: [jeff], createdAt: 12,
      group: Group(
        isPublic: true, accessCode: "sesame", createdBy: jeff, memberCount: 3, joinedCount: 2)),
    participantCount: 0)
  private static let bareJeffJSON = #"{"user_id":"jeff","nickname":"Jeff \"J\"","profile_url":""}"#
  private static let groupJSON =
    #"{"channel_url":"lobby","name":"Team","cover_url":"","data":"","custom_type":"","#
    + #""is_ephemeral":false,"freeze":false,"channel_type":"group_channels","is_distinct":false,"#
    + #""is_public":true,"is_super":false,"is_access_code_required":true,"member_count":3,"#
    + #""joined_member_count":2,"created_by":\#(bareJeffJSON),"max_length_message":5000,"#
    + #""operators":[\#(jeffJSON)],"created_at":12}"#
  private static let membership = Event.Membership(of: jeff, memberCount: 3, joinedCount: 2)
  private static let membershipJSON =
    #""user":\#(jeffJSON),"member_count":3,"joined_member_count":2"#

  private static let own = OwnMembership(
    Member(
      user: ann, state: .joined, inviterID: "jeff", invitedAt: 13, joinedAt: 14, visibleFrom: 15,
      position: ReadPosition(ordinal: 3, readAt: 16), hiding: .untilMessage(after: 9),
      countPreference: .messagesOnly),
    inviter: jeff, isOperator: true, mutedUntil: 17, lastOrdinal: 9, unreadCount: 5,
    unreadMentionCount: 2)
  private static let ownJSON =
    #""my":{"state":"joined","role":"operator","inviter":\#(jeffJSON),"invited_at":13,"#
    + #""joined_at":14,"last_ordinal":9,"unread_message_count":5,"unread_mention_count":0,"#
    + #""read_ordinal":3,"read_at":16,"visible_from":15,"#
    + #""hidden_state":"hidden_allow_auto_unhide","is_muted":true,"muted_until":17,"#
    + #""count_preference":"unread_message_count_only","push_trigger_option":"default"}"#
  private static let bareOwn = OwnMembership(
    Member(user: ann, state: .invited, hiding: .archived, countPreference: .off), inviter: nil,
    isOperator: false, mutedUntil: 0, lastOrdinal: 9, unreadCount: 5,
    unreadMentionCount: 2)
  private static let bareOwnJSON =
    #""my":{"state":"invited","role":"none","inviter":null,"invited_at":0,"#
    + #""joined_at":0,"last_ordinal":9,"unread_message_count":0,"unread_mention_count":0,"#
    + #""read_ordinal":0,"read_at":0,"#
    + #""visible_from":0,"#
    + #""hidden_state":"hidden_prevent_auto_unhide","is_muted":false,"muted_until":0,"#
    + #""count_preference":"off","push_trigger_option":"default"}"#

  private static var mentioningDeletion: Event.Deletion {
    var deletion = Event.Deletion(messageID: 7)
    (deletion.ordinal, deletion.senderID) = (3, "ann")
    deletion.mentions = .users(["jeff"])
    return deletion
  }

  private static let restriction = Event.Restriction(
    user: jeff, seconds: -1, description: "spam, \"x\"")
  private static let restrictionJSON =
    #""user":\#(jeffJSON),"seconds":-1,"description":"spam, \"x\"""#
  private static let presence = Event.Presence(user: jeff, participantCount: 3)
  private static let presenceJSON = #""user":\#(jeffJSON),"participant_count":3"#
  private static let info = ChannelInfo(channel, participantCount: 3)
  private static let range = Event.Throttling(
    withheld: 5, firstMessageID: 11, lastMessageID: 19)

  /// Events that have a number.
  static let durable: [EventSample] = [
    durable(.messageReceived(EventMessage(message)), #""message":\#(messageJSON)"#),
    durable(.messageUpdated(EventMessage(message)), #""message":\#(messageJSON)"#),
    durable(
      .messageUpdated(EventMessage(encoding: message, former: FormerMentions(.channel))),
      #""message":\#(messageJSON),"former_mentions":{"mention_type":"channel"}"#),
    durable(
      .messageUpdated(EventMessage(encoding: message, former: FormerMentions(nil))),
      #""message":\#(messageJSON),"former_mentions":{}"#),
    durable(.messageDeleted(.init(messageID: 7)), #""message_id":7"#),
    durable(
      .messageDeleted(mentioningDeletion),
      #""message_id":7,"ordinal":3,"sender_id":"ann","mention_type":"users","mentioned_user_ids":["jeff"]"#
    ),
    durable(.channelChanged(info), #""channel":\#(channelJSON)"#),
    durable(.channelDeleted(info), #""channel":\#(channelJSON)"#),
    durable(.channelFrozen(info), #""channel":\#(channelJSON)"#),
    durable(.channelUnfrozen(info), #""channel":\#(channelJSON)"#),
    durable(.userMuted(restriction), restrictionJSON),
    durable(.userUnmuted(.init(user: jeff)), #""user":\#(jeffJSON)"#),
    durable(.userBanned(restriction), restrictionJSON),
    durable(.userUnbanned(.init(user: jeff)), #""user":\#(jeffJSON)"#),
    durable(.operatorsChanged(.init([jeff, ann])), #""operators":[\#(jeffJSON),\#(annJSON)]"#),
    durable(
      .groupInvited(.init(by: jeff, of: [ann, jeff], to: group)),
      #""inviter":\#(bareJeffJSON),"users":[\#(annJSON),\#(jeffJSON)],"channel":\#(groupJSON)"#),
    durable(.groupJoined(membership), membershipJSON),
    durable(.groupDeclined(membership), membershipJSON),
    durable(.groupLeft(.init(membership, .removed)), #"\#(membershipJSON),"reason":"removed""#),
  ]

  /// Events of a channel that have no number.
  static let transient: [EventSample] = [
    transient(.userEntered(presence), presenceJSON),
    transient(.userExited(presence), presenceJSON),
    transient(.participantCount(.init(300)), #""participant_count":300"#),
    transient(
      .throttled(range), #""withheld":5,"first_message_id":11,"last_message_id":19"#),
    transient(
      .messageWithheld(.init(messageID: 11, count: 3)), #""message_id":11,"participants":3"#),
    transient(.mentionReceived(EventMessage(message)), #""message":\#(messageJSON)"#),
    transient(
      .groupMemberCount(.init(all: 7, joined: 5)),
      #""member_count":7,"joined_member_count":5"#),
    transient(.groupLost(.init(.deletedUser)), #""reason":"deleted_user""#),
    transient(.groupUnread(own), ownJSON), transient(.groupHidden(bareOwn), bareOwnJSON),
    transient(.groupUnhidden(own), ownJSON),
    transient(
      .groupRead(
        .init([.init(by: "ann", readAt: 9, messageID: 7), .init(by: "jeff", readAt: 12)])),
      #""reads":[{"user_id":"ann","read_at":9,"message_id":7},{"user_id":"jeff","read_at":12}]"#),
    transient(
      .groupDelivered(.init([.init(by: "ann", readAt: 9, messageID: 7)])),
      #""reads":[{"user_id":"ann","read_at":9,"message_id":7}]"#),
    transient(
      .groupTyping(.init(userIDs: ["ann", "jeff"], hasMore: false)),
      #""user_ids":["ann","jeff"],"more":false"#),
  ]

  /// Events that belong to no channel.
  static let session = [
    EventSample(
      event: .groupReady(.init(token: "t.1")), origin: .session(at: 1), originJSON: #""ts":1"#,
      members: #""token":"t.1""#),
    EventSample(
      event: .groupTotals(
        .init(
          GroupNumbers(
            unreadMessageCount: 4, unreadMentionCount: 1, unreadChannelCount: 2, invitationCount: 1),
          byCustomType: [
            "t\"": GroupNumbers(
              unreadMessageCount: 3, unreadMentionCount: 1, unreadChannelCount: 1,
              invitationCount: 0)
          ])), origin: .session(at: 1), originJSON: #""ts":1"#,
      members:
        #""unread_message_count":4,"unread_mention_count":1,"unread_channel_count":2,"invitation_count":1,"by_custom_type":{"t\"":{"unread_message_count":3,"unread_mention_count":1,"unread_channel_count":1,"invitation_count":0}}"#
    ),
    EventSample(
      event: .sessionExpiring(.init(expiresAt: 60_001)), origin: .session(at: 1),
      originJSON: #""ts":1"#, members: #""expires_at":60001"#),
    EventSample(
      event: .sessionFileKey(.init(key: "k.1", expiresAt: 60_001)), origin: .session(at: 1),
      originJSON: #""ts":1"#, members: #""file_key":{"key":"k.1","expires_at":60001}"#),
    EventSample(
      event: .serverDraining(.init(reconnectAfter: 250)), origin: .session(at: 1),
      originJSON: #""ts":1"#, members: #""reconnect_after_ms":250"#),
  ]

  /// The events that are sent only to webhooks.
  static let created = [
    EventSample(
      event: .channelCreated(info),
      origin: EventOrigin(channelURL: "lobby", seq: 0, timestamp: 12),
      originJSON: #""channel_url":"lobby","seq":0,"ts":12"#,
      members: #""channel":\#(channelJSON)"#),
    EventSample(
      event: .groupCreated(group), origin: EventOrigin(channelURL: "lobby", seq: 0, timestamp: 12),
      originJSON: #""channel_url":"lobby","seq":0,"ts":12"#, members: #""channel":\#(groupJSON)"#),
    transient(
      .reported(report(.message, AbuseReportReason(.spam), message)),
      #""id":9,"report_type":"message","report_category":"spam","offending_user":\#(offenderJSON),"#
        + #""reported_message":\#(messageJSON),\#(reportEndJSON)"#),
    transient(
      .reported(report(.user, AbuseReportReason(.harassing, description: "loud"))),
      #""id":9,"report_type":"user","report_category":"harassing","report_description":"loud","#
        + #""offending_user":\#(offenderJSON),\#(reportEndJSON)"#),
    transient(
      .reported(report(.channel, AbuseReportReason(.custom, customCategory: "bots"))),
      #""id":9,"report_type":"channel","report_category":"custom","#
        + #""custom_report_category_name":"bots","offending_user":\#(offenderJSON),\#(reportEndJSON)"#
    ),
  ]

  private static func report(
    _ type: AbuseReportType, _ reason: AbuseReportReason, _ message: Message? = nil
  ) -> AbuseReport {
    AbuseReport(
      id: 9, type: type, reason: reason, offender: ann, message: message,
      channel: ReportedChannel(url: "lobby", kind: .open, name: "Lobby"), createdAt: 12)
  }

  private static let offenderJSON =
    #"{"user_id":"ann","nickname":"","profile_url":"","metadata":{}}"#
  private static let reportEndJSON =
    #""channel":{"channel_url":"lobby","channel_type":"open_channels","name":"Lobby","#
    + #""custom_type":""},"created_at":12,"state":"open""#

  private static func durable(_ event: Event, _ members: String) -> EventSample {
    EventSample(
      event: event,
      origin: EventOrigin(channelURL: "lobby", seq: 42, timestamp: 1_730_000_000_000),
      originJSON: #""channel_url":"lobby","seq":42,"ts":1730000000000"#, members: members)
  }

  private static func transient(_ event: Event, _ members: String) -> EventSample {
    EventSample(
      event: event, origin: EventOrigin(channelURL: "lobby", timestamp: 1_730_000_000_000),
      originJSON: #""channel_url":"lobby","ts":1730000000000"#, members: members)
  }
}

@Suite("The bytes of events")
struct EventBytesTests {
  @Test(
    "are a notification on the socket, whose params begin with the event's origin",
    arguments: EventSample.durable + EventSample.transient + EventSample.session)
  func socket(sample: EventSample) {
    #expect(
      String(decoding: sample.event.notification(from: sample.origin), as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"\#(sample.testDescription)","#
        + #""params":{\#(sample.originJSON),\#(sample.members)}}"#)
  }

  @Test(
    "are the same params in a webhook, after the event's name",
    arguments: EventSample.durable + EventSample.created)
  func webhook(sample: EventSample) {
    #expect(
      String(decoding: sample.event.webhookEvent(from: sample.origin), as: UTF8.self)
        == #"{"event":"\#(sample.testDescription)",\#(sample.originJSON),\#(sample.members)}"#)
  }

  @Test("of a channel's creation name it with number 0")
  func created() {
    let channel = Channel(url: "den", name: "Den", createdAt: 12)
    let origin = EventOrigin(channelURL: "den", seq: 0, timestamp: 12)
    let event = Event.channelCreated(ChannelInfo(channel, participantCount: 0))
    #expect(
      String(decoding: event.webhookEvent(from: origin), as: UTF8.self)
        == #"{"event":"channel.created","channel_url":"den","seq":0,"ts":12,"channel":"#
        + #"{"channel_url":"den","name":"Den","cover_url":"","data":"","custom_type":"","#
        + #""is_ephemeral":false,"freeze":false,"participant_count":0,"#
        + #""max_length_message":5000,"operators":[],"created_at":12}}"#)
  }

  @Test("are defined for every event, including whether it is numbered and posted")
  func all() {
    let samples = EventSample.durable + EventSample.transient + EventSample.session
    let names = (samples + EventSample.created).map(\.event.name.rawValue)
    #expect(Set(names).sorted() == EventName.allCases.map(\.rawValue).sorted())
    for sample in EventSample.durable { #expect(sample.event.isDurable && sample.event.isPosted) }
    for sample in EventSample.transient + EventSample.session {
      #expect(!sample.event.isDurable && !sample.event.isPosted)
    }
    for sample in EventSample.created { #expect(!sample.event.isDurable && sample.event.isPosted) }
  }

  @Test("of an already encoded message are the same, and contain its JSON")
  func encoded() {
    let origin = EventOrigin(channelURL: "lobby", seq: 4, timestamp: 5)
    let shown = EventMessage(encoding: EventSample.message)
    let later = EventMessage(EventSample.message)
    #expect(shown.json == later.json)
    #expect(
      String(decoding: Event.messageReceived(shown).notification(from: origin), as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"message.received","params":"#
        + #"{"channel_url":"lobby","seq":4,"ts":5,"message":\#(EventSample.messageJSON)}}"#)
    #expect(
      Event.messageUpdated(shown).webhookEvent(from: origin)
        == Event.messageUpdated(later).webhookEvent(from: origin))
  }
}
