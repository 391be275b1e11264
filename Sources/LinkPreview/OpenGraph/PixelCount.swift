import ParleyProtocol

/// A width or height as pages write them; 0 when it is absent, negative or too large.
struct PixelCount {
  let value: Int32

  /// The digits that a text begins with (`1200px`).
  init(leadingDigitsOf text: String) {
    let digits = text.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
    self.init(value: Int32(String(digits)) ?? 0)
  }

  /// A number, a text, or a `QuantitativeValue` of schema.org.
  init(json: JSONNode?) {
    let number = json?["value"] ?? json
    if let text = number?.string {
      self.init(leadingDigitsOf: text)
      return
    }
    // Some write measured sizes, or whole ones with a fraction of zero.
    let pixels = number?.number.flatMap { Int32(exactly: $0.rounded(.down)) }
    self.init(value: max(0, pixels ?? 0))
  }

  private init(value: Int32) { self.value = value }
}
