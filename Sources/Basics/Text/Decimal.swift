extension FixedWidthInteger {
  /// Reads a number of decimal digits and nothing else: no sign, no space.
  package init?(decimal text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(String(text), radix: 10)
  }
}
