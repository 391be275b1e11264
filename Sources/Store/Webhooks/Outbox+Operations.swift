package import ParleyProtocol

/// Sets the URLs that receive events, and reads the events that wait for them.
///
/// A new URL receives the events from now on. A removed URL is deleted, with the events that only waited
/// for it.
package struct OutboxReceiverChange: StoreWrite {
  package var urls: [String]

  package init(_ urls: [String]) { self.urls = urls }

  package var statements: WriteStatements<OutboxContents> {
    .init { try $0.setWebhookReceivers(urls) }
  }
}

/// Adds an event without a record in the store, as those of ephemeral channels.
package struct OutboxAddition: StoreWrite {
  package var event: Event
  package var origin: EventOrigin

  package init(_ event: Event, from origin: EventOrigin) {
    self.event = event
    self.origin = origin
  }

  package var statements: WriteStatements<Void> {
    .init { try $0.queue(event, from: origin) }
  }
}

/// Reads the first events of each range, up to the size of a batch: see ``OutboxBatch``.
package struct OutboxReading: StoreLookup {
  package struct Batches: Sendable, Hashable {
    /// One list for each range, in order; empty for ranges of lost lanes.
    package var events: [[OutboxEvent]]
    /// The lanes of the share that another server has claimed.
    package var lost: [OutboxHold]
  }

  package var stretches: [OutboxStretch]
  package var share: OutboxShare

  package init(_ stretches: [OutboxStretch], in share: OutboxShare) {
    self.stretches = stretches
    self.share = share
  }

  package var statements: ReadStatements<Batches> {
    .init { transaction in
      let lost = try transaction.lostLanes(of: share)
      let lanes = OutboxLanes(lost.map(\.lane))
      return Batches(
        events: try stretches.map { stretch in
          let isLost = !lost.isEmpty && lanes.contains(OutboxLane(ofChannel: stretch.channelURL))
          return isLost ? [] : try transaction.webhookEvents(in: stretch)
        }, lost: lost)
    }
  }
}

/// Counts the events waiting for each receiver; reads all of them.
package struct OutboxBacklogCount: StoreQuery {
  package var receiverIDs: [Int64]

  package init(receiverIDs: [Int64]) { self.receiverIDs = receiverIDs }

  package var statements: ReadStatements<[Int]> {
    .init { transaction in
      try receiverIDs.map { try transaction.webhookBacklog(receiverID: $0) }
    }
  }
}

/// Records the progress of receivers, and removes the events that all of them have received.
package struct OutboxProgress: StoreWrite {
  package var advances: [OutboxAdvance]
  package var share: OutboxShare

  package init(_ advances: [OutboxAdvance], in share: OutboxShare) {
    self.advances = advances
    self.share = share
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<OutboxRemoval> {
    .init { transaction in
      let lost = try transaction.keepLanes(of: share)
      let lanes = OutboxLanes(lost.map(\.lane))
      let kept =
        lost.isEmpty
        ? advances : advances.filter { !lanes.contains(OutboxLane(ofChannel: $0.channelURL)) }
      var removal = try transaction.advanceWebhooks(kept)
      removal.lost = lost
      return removal
    }
  }
}

/// Discards a receiver's events of a range that are older than a time; `nil` when there are none, or
/// when another server has claimed their lane.
package struct OutboxExpiry: StoreWrite {
  /// The discarded events.
  package struct Events: Sendable, Hashable {
    package var count: Int
    /// The number of the last discarded event.
    package var through: Int64
    package var removal: OutboxRemoval
  }

  package var receiverID: Int64
  package var stretch: OutboxStretch
  /// Unix milliseconds.
  package var time: Int64
  package var share: OutboxShare

  package init(
    receiverID: Int64, in stretch: OutboxStretch, before time: Int64, of share: OutboxShare
  ) {
    self.receiverID = receiverID
    self.stretch = stretch
    self.time = time
    self.share = share
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Events?> {
    .init { transaction in
      guard try transaction.keepLanes(of: share).isEmpty else { return nil }
      return try transaction.expireWebhookEvents(
        receiverID: receiverID, in: stretch, before: time
      ).map {
        Events(count: $0.count, through: $0.through, removal: $0.removal)
      }
    }
  }
}

/// Removes the oldest events of a share, whether or not all URLs have received them.
package struct OutboxTrimming: StoreWrite {
  package var count: Int
  package var share: OutboxShare

  package init(count: Int, in share: OutboxShare) {
    self.count = count
    self.share = share
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<OutboxRemoval> {
    .init { transaction in
      let lost = try transaction.keepLanes(of: share)
      var removal = try transaction.dropOldestWebhookEvents(count, in: share.without(lost))
      removal.lost = lost
      return removal
    }
  }
}
