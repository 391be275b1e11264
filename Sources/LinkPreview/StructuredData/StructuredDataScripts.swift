/// The scripts of linked data of a page, kept until its character set is known.
struct StructuredDataScripts {
  private(set) var scripts: [HTMLText] = []
  private var byteCount = 0

  private static let maximumCount = 16
  private static let maximumByteCount = 262_144

  /// Keeps a script as long as there is room; one that was cut short is no JSON.
  mutating func receive(_ script: HTMLText) {
    guard scripts.count < Self.maximumCount, !script.isTruncated, !script.bytes.isEmpty,
      byteCount + script.bytes.count <= Self.maximumByteCount
    else { return }
    byteCount += script.bytes.count
    scripts.append(script)
  }
}
