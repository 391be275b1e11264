/// Why libcurl, or a thread for it, cannot be had.
package struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ reason: String) { description = reason }
}
