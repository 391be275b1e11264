import Transport

/// The channels that a connection is in, with the connection's place in the feed of each.
///
/// Most connections are in a few channels, for which a list is smaller and faster than a table. A member
/// of many groups has a table.
enum SessionPlaces {
  case few([Place])
  case many(Table)

  struct Place {
    let url: String
    let subscription: Subscription
  }

  /// The places by channel, and by feed.
  final class Table {
    fileprivate var byURL: [String: Subscription] = [:]
    fileprivate var byFeed: [ObjectIdentifier: Subscription] = [:]

    fileprivate func insert(_ place: Place) {
      byURL[place.url] = place.subscription
      if let feed = place.subscription.feed { byFeed[ObjectIdentifier(feed)] = place.subscription }
    }
  }

  /// The largest number of places in a list.
  static let listLimit = 16

  init() { self = .few([]) }

  var count: Int {
    switch self {
    case .few(let places): places.count
    case .many(let table): table.byURL.count
    }
  }

  var urls: [String] {
    switch self {
    case .few(let places): places.map(\.url)
    case .many(let table): Array(table.byURL.keys)
    }
  }

  /// The place in the feed of a channel; `nil` when the connection is not in the channel.
  subscript(url: String) -> Subscription? {
    switch self {
    case .few(let places): places.first { $0.url == url }?.subscription
    case .many(let table): table.byURL[url]
    }
  }

  /// Adds the place in a channel that the connection is not in.
  mutating func insert(_ subscription: Subscription, in url: String) {
    let place = Place(url: url, subscription: subscription)
    switch self {
    case .few(var places):
      // Released, so that appending copies nothing.
      self = .few([])
      places.append(place)
      guard places.count > Self.listLimit else { return self = .few(places) }
      let table = Table()
      for place in places { table.insert(place) }
      self = .many(table)
    case .many(let table): table.insert(place)
    }
  }

  /// Removes and returns the place in a channel, before it is cancelled.
  mutating func remove(_ url: String) -> Subscription? {
    switch self {
    case .few(var places):
      guard let index = places.firstIndex(where: { $0.url == url }) else { return nil }
      self = .few([])
      let place = places.remove(at: index)
      self = .few(places)
      return place.subscription
    case .many(let table):
      guard let subscription = table.byURL.removeValue(forKey: url) else { return nil }
      if let feed = subscription.feed { table.byFeed[ObjectIdentifier(feed)] = nil }
      return subscription
    }
  }

  /// Moves all events that wait in the feeds to the connection's queue.
  ///
  /// - Parameter feeds: All feeds in which events wait. They are fewer than the groups of a user.
  func settle(_ feeds: [BroadcastBuffer]) {
    guard !feeds.isEmpty else { return }
    switch self {
    case .few(let places): for place in places { place.subscription.settle() }
    case .many(let table) where feeds.count < table.byURL.count:
      for feed in feeds { table.byFeed[ObjectIdentifier(feed)]?.settle() }
    case .many(let table): for subscription in table.byURL.values { subscription.settle() }
    }
  }
}
