/// What this software is called and which version of it this is.
package enum Release {
  package static let name = "parley"
  package static let version = "0.1.0"
}
