import ParleyProtocol

/// A choice as a number in the store.
extension ChannelPushTriggerOption {
  var stored: Int {
    switch self {
    case .default: 0
    case .all: 1
    case .mentionOnly: 2
    case .off: 3
    }
  }

  init(stored: Int) { self = Self.allCases.first { $0.stored == stored } ?? .default }
}
