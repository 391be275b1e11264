/// An outside text made fit for an error message: quoted, bounded, without control characters and
/// whatever else acts on the text around it.
func excerpt(_ text: String, limit: Int = 40) -> String {
  let scalars = text.unicodeScalars
  var shown = "\""
  for scalar in scalars.prefix(limit) {
    shown.unicodeScalars.append(scalar.actsOnItsSurroundings ? "\u{fffd}" : scalar)
  }
  return shown + (scalars.dropFirst(limit).isEmpty ? "\"" : "…\"")
}
