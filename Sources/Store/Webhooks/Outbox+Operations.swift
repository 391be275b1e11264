package import ParleyProtocol

/// Makes these URLs the receivers of events, and reads what waits for them.
///
/// A URL that is new receives what happens from now on. One that is left out is forgotten, with what
/// waited for it alone.
package struct OutboxReceiverChange: StoreWrite {
  package var urls: [String]

  package init(_ urls: [String]) { self.urls = urls }

  package var statements: WriteStatements<OutboxContents> {
    .init { try $0.setWebhookReceivers(urls) }
  }
}

/// Adds an event that the store has no record of: one of an ephemeral channel.
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

/// Reads the first events of each stretch, as far as a batch goes: see ``OutboxBatch``.
package struct OutboxReading: StoreLookup {
  package var stretches: [OutboxStretch]

  package init(_ stretches: [OutboxStretch]) { self.stretches = stretches }

  package var statements: ReadStatements<[[OutboxEvent]]> {
    .init { transaction in try stretches.map { try transaction.webhookEvents(in: $0) } }
  }
}

/// Counts the events that wait for each receiver; reads them all.
package struct OutboxBacklogCount: StoreQuery {
  package var receiverIDs: [Int64]

  package init(receiverIDs: [Int64]) { self.receiverIDs = receiverIDs }

  package var statements: ReadStatements<[Int]> {
    .init { transaction in
      try receiverIDs.map { try transaction.webhookBacklog(receiverID: $0) }
    }
  }
}

/// Notes how far receivers have got, and removes what all of them have got.
package struct OutboxProgress: StoreWrite {
  package var advances: [OutboxAdvance]

  package init(_ advances: [OutboxAdvance]) { self.advances = advances }

  package var statements: WriteStatements<OutboxRemoval> {
    .init { try $0.advanceWebhooks(advances) }
  }
}

/// Gives up a receiver's events of a stretch that are older than a time; `nil` when none is.
package struct OutboxExpiry: StoreWrite {
  /// The events that were given up.
  package struct Events: Sendable, Hashable {
    package var count: Int
    /// The number of the last of them.
    package var through: Int64
    package var removal: OutboxRemoval
  }

  package var receiverID: Int64
  package var stretch: OutboxStretch
  /// Unix milliseconds.
  package var time: Int64

  package init(receiverID: Int64, in stretch: OutboxStretch, before time: Int64) {
    self.receiverID = receiverID
    self.stretch = stretch
    self.time = time
  }

  package var statements: WriteStatements<Events?> {
    .init {
      try $0.expireWebhookEvents(receiverID: receiverID, in: stretch, before: time).map {
        Events(count: $0.count, through: $0.through, removal: $0.removal)
      }
    }
  }
}

/// Removes the oldest events, whether or not all receivers have got them.
package struct OutboxTrimming: StoreWrite {
  package var count: Int

  package init(count: Int) { self.count = count }

  package var statements: WriteStatements<OutboxRemoval> {
    .init { try $0.dropOldestWebhookEvents(count) }
  }
}
