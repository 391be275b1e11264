import Channels
import Transport

/// A channel's subscribers on one shard.
final class ChannelSubscribers {
  private var feeds: [FrameEncoding: BroadcastBuffer] = [:]
  private let transport: Transport

  init(transport: Transport) {
    self.transport = transport
  }

  /// Whether nobody is subscribed.
  var isEmpty: Bool { feeds.values.allSatisfy { $0.subscriberCount == 0 } }

  /// Adds a connection; it gets what is applied from now on.
  func subscribe(_ connection: Connection) -> Subscription {
    feed(for: connection.encoding).subscribe(connection)
  }

  /// Takes a connection out.
  func cancel(_ subscription: Subscription, of connection: Connection) {
    feeds[connection.encoding]?.cancel(subscription)
  }

  /// Delivers a plan.
  ///
  /// - Parameter subscription: Finds the place of a connection that the plan names.
  /// - Returns: How many deliveries it made.
  func apply(
    _ plan: FanOutPlan, subscription: (UInt64) -> (Subscription, FrameEncoding)?
  ) -> Int {
    var deliveries = 0
    var exceptions: [FrameEncoding: [(Subscription, FanOutPlan.Share)]] = [:]
    for exception in plan.exceptions {
      guard let (place, encoding) = subscription(exception.connection) else { continue }
      exceptions[encoding, default: []].append((place, exception.share))
    }
    for (encoding, feed) in feeds where feed.subscriberCount > 0 {
      deliveries += publish(plan, on: feed, except: exceptions[encoding] ?? [])
    }
    return deliveries
  }

  private func publish(
    _ plan: FanOutPlan, on feed: BroadcastBuffer,
    except exceptions: [(Subscription, FanOutPlan.Share)]
  ) -> Int {
    var frames = FrameCache(payloads: plan.payloads, encoding: feed.encoding, transport: transport)
    var deliveries = plan.common.count * (feed.subscriberCount - exceptions.count)
    let individual = exceptions.map { place, share in
      deliveries += share.count
      return (subscription: place, frames: frames.joined(share))
    }
    let needsCommon = feed.subscriberCount > exceptions.count
    feed.publish(needsCommon ? frames.joined(plan.common) : [], except: individual)
    return deliveries
  }

  private func feed(for encoding: FrameEncoding) -> BroadcastBuffer {
    if let feed = feeds[encoding] { return feed }
    let feed = BroadcastBuffer(encoding: encoding, transport: transport)
    feeds[encoding] = feed
    return feed
  }
}

/// A plan's events as frames of one encoding, each made when first needed.
private struct FrameCache {
  let payloads: [[UInt8]]
  let encoding: FrameEncoding
  let transport: Transport
  private var frames: [[UInt8]?]

  init(payloads: [[UInt8]], encoding: FrameEncoding, transport: Transport) {
    self.payloads = payloads
    self.encoding = encoding
    self.transport = transport
    frames = Array(repeating: nil, count: payloads.count)
  }

  /// The frames of a share, behind one another.
  mutating func joined(_ share: FanOutPlan.Share) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in payloads.indices where share.contains(index) {
      bytes.append(contentsOf: frame(index))
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
