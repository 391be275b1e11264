/// The database of users, channels and messages.
package struct StoreSettings: Sendable, Equatable {
  /// The URL of a PostgreSQL database; SQLite in the data directory when absent.
  package var url: Secret?
  /// The number of PostgreSQL connections for reading.
  package var readers = 4
  /// The age in days at which messages are removed; 0 disables the removal.
  package var retentionDays = 0
  /// The same by custom type of the channel.
  package var retention: [TypeRetention] = []
  /// The number of messages of a channel that are kept; 0 keeps all.
  package var keptMessageCount = 0
  /// The time after a start or a clock jump for which no messages are removed because of their age.
  package var deletionHoldSeconds: Int64 = 3_600

  /// The engine that the settings choose.
  package var engine: StoreEngineName { url == nil ? .sqlite : .postgreSQL }
}

/// The age in days at which messages in channels of a custom type are removed, `support=365` in a list; the
/// custom type `*` stands for all types without an age of their own.
package struct TypeRetention: Sendable, Hashable, CustomStringConvertible {
  package let customType: String
  /// 0 keeps the messages for ever.
  package let days: Int

  package init(customType: String, days: Int) {
    self.customType = customType
    self.days = days
  }

  init?(_ text: String) {
    // A custom type may have an equals sign.
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
      let days = Int(text[text.index(after: sign)...]), (0...36_500).contains(days)
    else { return nil }
    self.init(customType: String(text[..<sign]), days: days)
  }

  package var description: String { "\(customType)=\(days)" }
}

/// A database engine, by its name for operators.
package enum StoreEngineName: String, Sendable {
  case sqlite
  case postgreSQL = "postgresql"
}

/// Several servers that serve the same channels.
package struct ClusterSettings: Sendable, Equatable {
  /// The message bus between the servers; without one the server runs alone.
  package var bus: BusPlace?
  /// The prefix of all names on the bus, which separates clusters that share a bus.
  package var name = "parley"
  /// The server's name for operators; the host name when absent.
  package var serverName: String?
  /// The secret that signs messages on the bus.
  package var secret: Secret?
  /// The interval between heartbeats of a server.
  package var beatMilliseconds: Int64 = 500
  /// The time without heartbeats after which other servers declare a server dead.
  package var serverTimeoutMilliseconds: Int64 = 3000
  /// The time for which a call waits for a server or the bus.
  package var callTimeoutMilliseconds: Int64 = 10_000
  /// The time after which a server without bus or database drains, if others have both.
  package var isolationMilliseconds: Int64 = 5000

  /// A description of a bus on which messages could be forged; `nil` when there is none.
  package var forgeableBus: String? {
    guard secret == nil, case .redis(let urls) = bus else { return nil }
    return urls.first { !$0.usesTLS && !$0.isLoopback }?.description
  }
}

/// The message bus between servers.
package enum BusPlace: Sendable, Equatable {
  /// LISTEN and NOTIFY of the database in `store.url`.
  case postgreSQL
  /// Redis or Valkey: every server subscribes to all of them.
  case redis([RedisURL])

  /// The kind of bus, by its name for operators.
  package var kind: String {
    switch self {
    case .postgreSQL: "postgresql"
    case .redis: "redis"
    }
  }

  /// Parses the word `postgresql`, or any number of Redis URLs.
  ///
  /// - Returns: `nil` when the values are empty.
  /// - Throws: The first invalid value.
  static func read(_ values: [String]) throws(SettingDefinition.Refusal) -> BusPlace? {
    guard let first = values.first else { return nil }
    if first == "postgresql" {
      guard values.count == 1 else { throw SettingDefinition.Refusal(value: values[1]) }
      return .postgreSQL
    }
    var urls: [RedisURL] = []
    for text in values {
      guard let url = RedisURL(text), !urls.contains(where: { $0.endpoint == url.endpoint }) else {
        throw SettingDefinition.Refusal(value: text)
      }
      urls.append(url)
    }
    return .redis(urls)
  }
}
