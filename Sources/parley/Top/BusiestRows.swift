internal import Basics
internal import ParleyProtocol

/// The busiest channels in the load display.
struct BusiestRows {
  /// The maximum number of channels shown.
  static let limit = 5
  private static let longestName = 40

  /// The rows below the figures; none if there are no channels.
  let rows: [LoadRow]

  /// Creates rows from a response of `/v3/parley/channels/busiest`.
  init(_ answer: JSONNode) {
    let cells = answer.list("channels").prefix(Self.limit).map { channel in
      [
        LoadRow.Cell(
          name: DisplayText.shortened(channel.text("channel_url"), limit: Self.longestName),
          value: "\(channel.number("messages"))/min"),
        LoadRow.Cell(name: "participants", value: channel.number("participants")),
      ]
    }
    rows = Self.rows(cells)
  }

  /// Creates a row with the reason why there are no channels.
  init(failure: any Error) {
    rows = Self.rows([[LoadRow.Cell(name: "not shown:", value: "\(failure)")]])
  }

  private static func rows(_ cells: [[LoadRow.Cell]]) -> [LoadRow] {
    cells.enumerated().map { index, cells in
      LoadRow(name: index == 0 ? "busiest" : "", cells: cells)
    }
  }
}

/// Reads the busiest channels until a read fails; then it does not retry in each interval.
final class BusiestReader {
  private let client: PlatformClient
  private var failure: BusiestRows?

  init(_ client: PlatformClient) {
    self.client = client
  }

  func read() -> BusiestRows {
    if let failure { return failure }
    do {
      let answer = try client.call(
        "GET", "/v3/parley/channels/busiest", query: [("limit", "\(BusiestRows.limit)")])
      return BusiestRows(try OutputOptions.root(of: answer))
    } catch {
      let shown = BusiestRows(failure: error)
      failure = shown
      return shown
    }
  }
}
