import Telemetry

/// The counters: metrics that only increase.
enum GatewayCounter: Int, MetricKey {
  case connectionsAccepted
  case sessionsOpened
  case sessionsRefused
  case calls
  case callsFailed
  case messagesAccepted
  case messagesRepeated
  case messagesFailed
  case messagesUpdated
  case messagesDeleted
  case messagesExpired
  case refusedFlood
  case refusedBanned
  case refusedNotInChannel
  case refusedFrozen
  case refusedMuted
  case refusedFiltered
  case refusedInvalid
  case refusedRate
  case deliveries
  case withheld
  case mentionsDropped
  case bytesReceived
  case bytesSent
  case slowConsumers
  case connectionsOverAddressLimit
  case connectionsShed
  case connectionsTurnedAway
  case requestsOfForeignOrigin
  case requestsOfForeignHost
  case requestsWithoutAPIToken
  case closedForMemory
  case previewsAttached
  case previewsUpdated
  case previewsNone
  case thumbnailsLate
  case translationsLate
  case groupReadsMoved
  case groupReadsSame
  case groupReadsLate
  case groupReceipts
  case groupDeliveriesMoved
  case groupDeliveriesSame
  case groupDeliveryReceipts
  case groupTypingStarted
  case groupTypingExtended
  case groupTypingStopped
  case groupTypingIgnored
  case groupInvitationsInvited
  case groupInvitationsJoined
  case groupInvitationsAccepted
  case groupInvitationsDeclined
  case groupInvitationsWithdrawn
  case groupRecoveriesRecovered
  case groupRecoveriesBudget
  case groupRecoveriesUnavailable
  case groupRecoveriesRefused
  case streamResumes
  case streamResumesGone
  case streamResumesRefused
  case streamPolls

  var definition: MetricDefinition {
    switch self {
    case .connectionsAccepted:
      .counter("parley_connections_accepted_total", "Connections accepted.")
    case .sessionsOpened: .counter("parley_sessions_opened_total", "Sessions opened.")
    case .sessionsRefused: .counter("parley_sessions_refused_total", "Sessions refused.")
    case .calls: .counter("parley_calls_total", "Calls carried out, of any method.")
    case .callsFailed: .counter("parley_calls_failed_total", "Calls answered with an error.")
    case .messagesAccepted: .message("accepted")
    case .messagesRepeated: .message("repeated")
    case .messagesFailed: .message("failed")
    case .messagesUpdated: .message("updated")
    case .messagesDeleted: .message("deleted")
    case .messagesExpired: .message("expired")
    case .refusedFlood: .refusal("flood")
    case .refusedBanned: .refusal("banned")
    case .refusedNotInChannel: .refusal("not_in_channel")
    case .refusedFrozen: .refusal("frozen")
    case .refusedMuted: .refusal("muted")
    case .refusedFiltered: .refusal("filtered")
    case .refusedInvalid: .refusal("invalid")
    case .refusedRate: .refusal("rate")
    case .deliveries: .counter("parley_deliveries_total", "Events handed to subscribers.")
    case .withheld: .counter("parley_withheld_total", "Messages withheld by the throttle.")
    case .mentionsDropped:
      .counter(
        "parley_mentions_dropped_total",
        "Mentions of absent users beyond their sender's budget, or while the storage failed.")
    case .bytesReceived: .counter("parley_received_bytes_total", "Bytes read from sockets.")
    case .bytesSent: .counter("parley_sent_bytes_total", "Bytes written to sockets.")
    case .slowConsumers:
      .counter("parley_slow_consumers_closed_total", "Connections closed with 4004.")
    case .connectionsOverAddressLimit: .closed("address")
    case .connectionsShed: .closed("silent")
    case .connectionsTurnedAway: .closed("no_room")
    case .requestsOfForeignOrigin: .request("origin")
    case .requestsOfForeignHost: .request("host")
    case .requestsWithoutAPIToken: .request("api_token")
    case .closedForMemory:
      .counter(
        "parley_memory_closed_total", "Connections closed for holding most of limits.memory_bytes.")
    case .previewsAttached: .preview("cached")
    case .previewsUpdated: .preview("updated")
    case .previewsNone: .preview("none")
    case .thumbnailsLate:
      .counter(
        "parley_thumbnails_late_total", "Messages updated with thumbnails that came too late.")
    case .translationsLate:
      .counter(
        "parley_translations_late_total",
        "Messages updated with translations after they were published.")
    case .groupReadsMoved: .reading("moved")
    case .groupReadsSame: .reading("same")
    case .groupReadsLate: .reading("late")
    case .groupReceipts:
      .counter(
        "parley_group_receipts_total", "Read positions sent to the other members of groups.")
    case .groupDeliveriesMoved: .delivery("moved")
    case .groupDeliveriesSame: .delivery("same")
    case .groupDeliveryReceipts:
      .counter(
        "parley_group_delivery_receipts_total",
        "Positions of delivered messages sent to the other members of groups.")
    case .groupTypingStarted: .typing("started")
    case .groupTypingExtended: .typing("extended")
    case .groupTypingStopped: .typing("stopped")
    case .groupTypingIgnored: .typing("ignored")
    case .groupInvitationsInvited: .invitation("invited")
    case .groupInvitationsJoined: .invitation("joined")
    case .groupInvitationsAccepted: .invitation("accepted")
    case .groupInvitationsDeclined: .invitation("declined")
    case .groupInvitationsWithdrawn: .invitation("withdrawn")
    case .groupRecoveriesRecovered: .recovery("recovered")
    case .groupRecoveriesBudget: .recovery("budget")
    case .groupRecoveriesUnavailable: .recovery("unavailable")
    case .groupRecoveriesRefused: .recovery("refused")
    case .streamResumes: .resume("resumed")
    case .streamResumesGone: .resume("gone")
    case .streamResumesRefused: .resume("refused")
    case .streamPolls:
      .counter("parley_stream_polls_total", "Polls for the events of a stream.")
    }
  }
}

extension MetricDefinition {
  fileprivate static func counter(
    _ name: String, _ help: String, _ labels: Label...
  ) -> MetricDefinition {
    MetricDefinition(name, kind: .counter, help: help, labels: labels)
  }

  fileprivate static func message(_ outcome: String) -> MetricDefinition {
    counter("parley_messages_total", "Messages by outcome.", Label("outcome", outcome))
  }

  fileprivate static func refusal(_ reason: String) -> MetricDefinition {
    counter("parley_refused_total", "Calls refused, by reason.", Label("reason", reason))
  }

  fileprivate static func closed(_ reason: String) -> MetricDefinition {
    counter(
      "parley_connections_refused_total",
      "Connections closed for want of room or by their address's limits, by reason.",
      Label("reason", reason))
  }

  fileprivate static func request(_ reason: String) -> MetricDefinition {
    counter(
      "parley_requests_refused_total",
      "HTTP requests refused by their origin, host or API token, by reason.",
      Label("reason", reason))
  }

  fileprivate static func reading(_ outcome: String) -> MetricDefinition {
    counter(
      "parley_group_reads_total",
      "Groups marked as read, by whether the position of the member has moved at once.",
      Label("outcome", outcome))
  }

  fileprivate static func delivery(_ outcome: String) -> MetricDefinition {
    counter(
      "parley_group_deliveries_total",
      "Messages of groups marked as delivered, by whether the position of the member has moved.",
      Label("outcome", outcome))
  }

  fileprivate static func typing(_ outcome: String) -> MetricDefinition {
    counter(
      "parley_group_typing_total", "Calls about typing in groups, by outcome.",
      Label("outcome", outcome))
  }

  fileprivate static func invitation(_ outcome: String) -> MetricDefinition {
    counter(
      "parley_group_invitations_total",
      "Users added to groups by others, and the ends of their invitations, by outcome.",
      Label("outcome", outcome))
  }

  fileprivate static func recovery(_ outcome: String) -> MetricDefinition {
    counter(
      "parley_group_recoveries_total", "Groups named in group.recover, by outcome.",
      Label("outcome", outcome))
  }

  fileprivate static func resume(_ outcome: String) -> MetricDefinition {
    counter(
      "parley_stream_resumes_total", "Requests that continue a stream, by outcome.",
      Label("outcome", outcome))
  }

  fileprivate static func preview(_ outcome: String) -> MetricDefinition {
    counter("parley_previews_total", "Messages with a link, by outcome.", Label("outcome", outcome))
  }
}
