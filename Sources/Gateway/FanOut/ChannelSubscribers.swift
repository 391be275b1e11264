import Channels
import ParleyProtocol
import Telemetry
import Transport

/// A channel's subscribers on one shard.
final class ChannelSubscribers {
  /// One feed for each encoding: a few at most, so an array is smaller and faster than a dictionary.
  private var feeds: [BroadcastBuffer] = []
  private let transport: Transport
  /// Whether the connections are those of members, who need not enter and cannot exit.
  var isOfGroup = false
  /// The connections that watch the numbers over all groups of their users.
  private var watches: [TotalsWatch] = []

  init(transport: Transport) {
    self.transport = transport
  }

  /// Whether there are no subscribers.
  var isEmpty: Bool { feeds.allSatisfy { $0.subscriberCount == 0 } }

  /// Adds a connection, which receives the plans applied from now on.
  func subscribe(_ connection: Connection) -> Subscription {
    feed(for: connection.encoding).subscribe(connection)
  }

  /// Removes a connection.
  func cancel(_ subscription: Subscription, of connection: Connection) {
    existingFeed(for: connection.encoding)?.cancel(subscription)
  }

  func add(_ watch: TotalsWatch) { watches.append(watch) }

  func remove(_ watch: TotalsWatch) { watches.removeAll { $0 === watch } }

  /// Marks the group for the connections that watch its numbers.
  ///
  /// The events are examined once, whatever the number of connections.
  func mark(_ plan: FanOutPlan) {
    guard !watches.isEmpty, isOfGroup,
      plan.payloads.contains(where: { EventName(of: $0)?.movesNumbers == true })
    else { return }
    for watch in watches { watch.mark(plan.channelURL) }
  }

  /// Delivers a plan.
  ///
  /// - Parameter subscription: Finds the place of a connection that the plan names.
  /// - Returns: The number of deliveries.
  func apply(
    _ plan: FanOutPlan, subscription: (UInt64) -> (Subscription, FrameEncoding)?
  ) -> Int {
    let exceptions = plan.exceptions.compactMap { exception in
      subscription(exception.connection).map { place, encoding in
        Exception(subscription: place, encoding: encoding, share: exception.share)
      }
    }
    var deliveries = 0
    for feed in feeds where feed.subscriberCount > 0 {
      deliveries += publish(plan, on: feed, except: exceptions)
    }
    return deliveries
  }

  private func publish(
    _ plan: FanOutPlan, on feed: BroadcastBuffer, except exceptions: [Exception]
  ) -> Int {
    let (encoding, subscriberCount) = (feed.encoding, feed.subscriberCount)
    var frames = FrameCache(payloads: plan.payloads, encoding: encoding, transport: transport)
    var deliveries = 0
    var individual: [(subscription: Subscription, frames: [UInt8])] = []
    for exception in exceptions where exception.encoding == encoding {
      deliveries += exception.share.count
      individual.append((exception.subscription, frames.joined(exception.share)))
    }
    let others = subscriberCount - individual.count
    deliveries += plan.common.count * others
    feed.publish(others > 0 ? frames.joined(plan.common) : [], except: individual)
    return deliveries
  }

  private func existingFeed(for encoding: FrameEncoding) -> BroadcastBuffer? {
    feeds.first { $0.encoding == encoding }
  }

  private func feed(for encoding: FrameEncoding) -> BroadcastBuffer {
    if let feed = existingFeed(for: encoding) { return feed }
    let feed = BroadcastBuffer(encoding: encoding, transport: transport)
    feeds.append(feed)
    return feed
  }
}

/// A connection that gets a different share than most, and its place.
private struct Exception {
  let subscription: Subscription
  let encoding: FrameEncoding
  let share: FanOutPlan.Share
}

/// A plan's events as frames of one encoding, each encoded when first needed.
private struct FrameCache {
  let payloads: [[UInt8]]
  let encoding: FrameEncoding
  let transport: Transport
  private var frames: [[UInt8]?]

  init(payloads: [[UInt8]], encoding: FrameEncoding, transport: Transport) {
    self.payloads = payloads
    self.encoding = encoding
    self.transport = transport
    // Cheaper than an array of repeated elements, whose type is looked up in the runtime.
    frames = payloads.map { _ in nil }
  }

  /// Returns the frames of a share, concatenated.
  mutating func joined(_ share: FanOutPlan.Share) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in payloads.indices where share.contains(index) {
      if bytes.isEmpty { bytes = frame(index) } else { bytes.append(contentsOf: frame(index)) }
    }
    return bytes
  }

  private mutating func frame(_ index: Int) -> [UInt8] {
    if let frame = frames[index] { return frame }
    var frame: [UInt8] = []
    transport.appendFrame(text: payloads[index], encoding: encoding, into: &frame)
    frames[index] = frame
    return frame
  }
}

extension Shard {
  /// Delivers a plan to the connections of this shard.
  func deliver(_ plan: FanOutPlan) {
    guard let channel = channelSubscribers[plan.channelURL] else { return }
    let deliveries = channel.apply(plan) { connection in
      sessions[ConnectionID(rawValue: connection)]?.subscription(to: plan.channelURL)
    }
    counters.add(UInt64(deliveries), to: .deliveries)
    channel.mark(plan)
  }

  /// Sends the same event to several connections of this shard, after the events that were delivered before.
  func send(_ event: [UInt8], to group: [SessionAddress]) {
    for session in group.lazy.compactMap({ self.session($0) }) {
      session.settleEvents()
      session.send(event)
    }
  }
}
