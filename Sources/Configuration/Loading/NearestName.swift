/// Finds the known name that an unknown one was probably meant to be.
enum NearestName {
  /// `; did you mean x?` when a known name is near, else nothing.
  static func hint(for unknown: String, among known: [String]) -> String {
    guard let name = nearest(to: unknown, among: known) else { return "" }
    return "; did you mean \(name)?"
  }

  /// The known name with the fewest changes between them, at most a third of its length.
  static func nearest(to unknown: String, among known: [String]) -> String? {
    guard unknown.utf8.count <= 80 else { return nil }
    let ranked = known.map { (name: $0, distance: distance(unknown, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, best.name.utf8.count / 3) ? best.name : nil
  }

  /// The number of bytes to insert, remove or replace (Levenshtein).
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (index, byte) in left.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (byte == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
