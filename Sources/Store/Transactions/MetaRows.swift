/// The table `meta`, which has single numbers by name.
extension StoreStatement {
  /// Sets rows of the table `meta`.
  ///
  /// - Parameters:
  ///   - rows: Keys and values; two parameters for one row by default.
  ///   - value: The value of a row that exists.
  static func settingMeta(
    to rows: StoreStatement = "VALUES (?, ?)", replacing value: StoreStatement = "excluded.value"
  ) -> StoreStatement {
    """
    INSERT INTO meta (key, value) \(rows) ON CONFLICT (key) DO UPDATE SET value = \(value)
    """
  }
}
