import Basics
import ParleyProtocol
import Search

extension ChannelQuery {
  /// The filters that a token is bound to; the limit may change from page to page.
  var fingerprint: [String] {
    let filters =
      ["channels", nameContains ?? "", urlContains ?? "", "\(freezing.rawValue)"]
      + ["\(customTypes.count)"] + customTypes + urls
    return switch order {
    case .created: filters
    case .participants, .latestMessage: [order.rawValue] + filters
    }
  }

  /// Whether some channels are left out.
  package var hasFilters: Bool {
    nameContains?.isEmpty == false || urlContains?.isEmpty == false || !customTypes.isEmpty
      || !urls.isEmpty || freezing != .any
  }

  /// The maximum number of channels on a page.
  var pageLimit: Int { min(max(limit, 1), 100) }

  /// The index to scan; a few named channels are looked up and sorted instead.
  var index: StoreStatement {
    guard urls.isEmpty else { return "" }
    return switch order {
    case .created, .participants: .index("open_channels_by_age")
    case .latestMessage: .index("open_channels_by_activity")
    }
  }

  /// The columns by which channels are sorted, the greatest first.
  var key: StoreStatement {
    switch order {
    case .created, .participants: "created_at, channel_id"
    case .latestMessage: "active_at, created_at, channel_id"
    }
  }

  /// For use after ORDER BY.
  var sorting: StoreStatement {
    switch order {
    case .created, .participants: "created_at DESC, channel_id DESC"
    case .latestMessage: "active_at DESC, created_at DESC, channel_id DESC"
    }
  }

  /// The rows to examine, and the condition on those to show.
  func conditions() throws -> (range: Condition, filter: Condition) {
    conditions(after: try position())
  }

  func conditions(after position: ChannelPosition) -> (range: Condition, filter: Condition) {
    let places = position.values.map { _ in "?" }.joined(separator: ", ")
    var range = Condition("(\(key)) < (\(places))", position.values)
    range.require("url", isAnyOf: urls)
    var filter = Condition()
    // The index is of open channels; among named channels, groups are skipped.
    if urls.isEmpty { range.require("is_group = 0") } else { filter.require("is_group = 0") }
    if let nameContains, !nameContains.isEmpty {
      filter.require(.contains("name_folded"), [nameContains.caseFolded])
    }
    if let urlContains, !urlContains.isEmpty {
      filter.require(.contains("url"), [urlContains])
    }
    filter.require("custom_type", isAnyOf: customTypes)
    switch freezing {
    case .any: break
    case .unfrozen: filter.require("is_frozen = 0")
    case .frozen: filter.require("is_frozen = 1")
    }
    return (range, filter)
  }

  /// The token that continues after a row with the columns of the key from the third on.
  func token(after row: StoreRow) -> String {
    let position = ChannelPosition(values: (0..<keyLength).map { row[2 + $0] })
    return PageCursor(of: fingerprint).token(after: position)
  }

  /// The position from which to list: before every channel when there is no token.
  private func position() throws -> ChannelPosition {
    guard let token, !token.isEmpty else {
      return ChannelPosition(values: Array(repeating: .max, count: keyLength))
    }
    let position = PageCursor<ChannelPosition>(of: fingerprint).position(in: token)
    guard let position, position.values.count == keyLength else {
      throw StoreError.invalidPageToken
    }
    return position
  }

  /// The number of columns of the key.
  private var keyLength: Int {
    switch order {
    case .created, .participants: 2
    case .latestMessage: 3
    }
  }
}

/// The position where a page of channels ended: the values of the key.
struct ChannelPosition: PagePosition {
  let values: [Int64]

  init(values: [Int64]) {
    self.values = values
  }

  var positionBytes: [UInt8] { values.flatMap(\.bigEndianBytes) }

  init?(positionBytes bytes: [UInt8]) {
    var (values, rest): ([Int64], _) = ([], bytes[...])
    while !rest.isEmpty {
      guard let value = Int64(bigEndianBytes: rest.prefix(8)) else { return nil }
      values.append(value)
      rest = rest.dropFirst(8)
    }
    self.init(values: values)
  }
}
