internal import PostgreSQL

/// The settings of a server as stored in the registry: digests by name, and values beside some of them.
extension ClusterOptions {
  /// The keys and digests that are compared with those of other servers.
  var comparedSettings: [PostgreSQLValue] { Self.pairs(agreement) }

  /// The keys and texts that are stored for other servers.
  ///
  /// Values have keys of their own, which servers of older versions do not compare.
  var storedSettings: [PostgreSQLValue] {
    Self.pairs(
      shownSettings.reduce(into: agreement) {
        $0[$1.key + RegistryStatements.valueSuffix] = $1.value
      })
  }

  /// Reads the answer to ``RegistryStatements/differences``.
  func differences(_ rows: PostgreSQLRows) -> [SettingDifference] {
    (0..<rows.count).map { row in
      let setting = rows.text(row, 0)
      let isShown = shownSettings[setting] != nil && !rows.isNull(row, 2)
      return SettingDifference(
        setting: setting, server: rows.text(row, 1), value: shownSettings[setting],
        otherValue: isShown ? rows.text(row, 2) : nil)
    }
  }

  private static func pairs(_ texts: [String: String]) -> [PostgreSQLValue] {
    let sorted = texts.sorted { $0.key < $1.key }
    return [.texts(sorted.map(\.key)), .texts(sorted.map(\.value))]
  }
}
