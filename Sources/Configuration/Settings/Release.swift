import CRelease

/// The name and version of this software.
package enum Release {
  package static let name = "parley"

  /// The version with its build, for operators: `0.1.0+20260131.2359.g1a2b3c4d5` with the time and hash
  /// of the commit, or `0.1.0-dev` for an unpackaged program.
  package static let version = String(cString: crelease_version())

  /// The version without its build, for clients and other servers: `0.1.0`.
  package static let number = String(version.prefix { $0 != "+" && $0 != "-" })
}
