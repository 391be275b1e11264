/// Widths and heights as pages write them.
enum PixelCount {
  /// The digits that a text begins with (`1200px`); 0 when there are none or too many.
  static func leadingDigits(of text: String) -> Int32 {
    Int32(String(text.prefix { $0.isASCII && $0.isNumber })) ?? 0
  }
}
