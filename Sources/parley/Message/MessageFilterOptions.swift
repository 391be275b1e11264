internal import ArgumentParser

/// Which messages are looked at.
struct MessageFilterOptions: ParsableArguments {
  /// Behind everything that was ever sent, whatever this machine's clock says.
  private static let endOfTime: Int64 = 9_007_199_254_740_991

  @Option(
    help: ArgumentHelp("Only those before this message.", valueName: "message id"))
  var before: Int64?

  @Option(help: ArgumentHelp("Only by these; may be given several times.", valueName: "user id"))
  var from: [String] = []

  @Option(help: ArgumentHelp("Only this kind; may be given several times.", valueName: "type"))
  var customType: [String] = []

  func validate() throws {
    guard !(from + customType).contains(where: { $0.contains(",") }) else {
      throw ValidationError("--from and --custom-type can't have a comma")
    }
  }

  /// The parameters for the messages before a place.
  func query(before id: Int64?, limit: Int) -> [(String, String)] {
    var query = [("prev_limit", String(limit)), ("next_limit", "0"), ("include", "false")]
    if let id {
      query.append(("message_id", String(id)))
    } else {
      query.append(("message_ts", String(Self.endOfTime)))
    }
    return query + choice
  }

  /// The parameters for the messages behind one, or from the very first on.
  func query(after id: Int64?, limit: Int) -> [(String, String)] {
    let place = id.map { ("message_id", String($0)) } ?? ("message_ts", "0")
    return [place, ("prev_limit", "0"), ("next_limit", String(limit)), ("include", "false")]
      + choice
  }

  private var choice: [(String, String)] {
    var query: [(String, String)] = []
    if !from.isEmpty { query.append(("sender_ids", from.joined(separator: ","))) }
    if !customType.isEmpty { query.append(("custom_types", customType.joined(separator: ","))) }
    return query
  }
}
