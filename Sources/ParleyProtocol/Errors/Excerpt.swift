/// An outside text made fit for an error message: quoted, bounded, without control characters.
func excerpt(_ text: String, limit: Int = 40) -> String {
  let scalars = text.unicodeScalars
  var shown = "\""
  for scalar in scalars.prefix(limit) {
    let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    shown.unicodeScalars.append(isControl ? "\u{fffd}" : scalar)
  }
  return shown + (scalars.dropFirst(limit).isEmpty ? "\"" : "…\"")
}
