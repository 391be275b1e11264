/// What a profile says of a gateway and its user; each part may be missing.
struct Profile: Equatable {
  var server: String?
  var apiToken: String?
  var apiTokenFile: String?
  var user: String?
  var token: String?
  var caCertificate: String?
}

/// What is wrong with a file of profiles.
struct ProfileError: Error, Equatable, CustomStringConvertible {
  let description: String
}
