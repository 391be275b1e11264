/// The database of users, channels and messages.
package struct StoreSettings: Sendable, Equatable {
  /// The URL of a PostgreSQL database; SQLite in the data directory when absent.
  package var url: Secret?
  /// Connections to PostgreSQL that read.
  package var readers = 4
  /// The age in days at which messages are removed; 0 for never.
  package var retentionDays = 0
  /// The time for which nothing is deleted for its age after a start or a step of the clock.
  package var deletionHoldSeconds: Int64 = 3_600

  /// The engine that the settings choose.
  package var engine: StoreEngineName { url == nil ? .sqlite : .postgreSQL }
}

/// A database engine, by the word that names it to operators.
package enum StoreEngineName: String, Sendable {
  case sqlite
  case postgreSQL = "postgresql"
}

/// Several servers that serve the same channels.
package struct ClusterSettings: Sendable, Equatable {
  /// The carrier of messages between the servers; with none the server is alone.
  package var bus: BusPlace?
  /// The prefix of all names on the bus, which keeps clusters on one bus apart.
  package var name = "parley"
  /// The server's name for operators; that of the machine when absent.
  package var serverName: String?
  /// The secret that signs messages on the bus.
  package var secret: Secret?
  /// The time between two signs of life of a server.
  package var beatMilliseconds: Int64 = 500
  /// The silence after which the others declare a server dead.
  package var serverTimeoutMilliseconds: Int64 = 3000
  /// The time for which a call waits for a server or the bus.
  package var callTimeoutMilliseconds: Int64 = 10_000
  /// The time without bus or database, while others have it, after which a server drains.
  package var isolationMilliseconds: Int64 = 5000

  /// The bus that is not safe from forged messages, as text; `nil` when there is none.
  package var forgeableBus: String? {
    guard secret == nil, case .redis(let urls) = bus else { return nil }
    return urls.first { !$0.usesTLS && !$0.isLoopback }?.description
  }
}

/// The carrier of messages between servers.
package enum BusPlace: Sendable, Equatable {
  /// LISTEN and NOTIFY of the database in `store.url`.
  case postgreSQL
  /// Redis or Valkey: every server listens on all of them.
  case redis([RedisURL])

  /// The kind of bus, by the word that names it to operators.
  package var kind: String {
    switch self {
    case .postgreSQL: "postgresql"
    case .redis: "redis"
    }
  }

  /// Reads the word `postgresql`, or any number of URLs of Redis.
  ///
  /// - Returns: `nil` when the values are empty.
  /// - Throws: The first value that does not fit.
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
