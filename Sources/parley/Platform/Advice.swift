/// What an operator may do when a gateway is not reached.
enum Advice {
  case address
  case proxy
  case authority
  case name
  case plain
  case tls
  case apiToken
  case accessToken

  var text: String {
    switch self {
    case .address: "is the gateway running, and is --server where it listens?"
    case .proxy: "the environment names that proxy; no_proxy may name the gateway"
    case .authority: "--ca-certificate trusts an authority of your own"
    case .name: "--server has to have the name that the certificate is made out to"
    case .plain: "does the gateway speak TLS there? else --server begins with http://"
    case .tls: "does the gateway speak TLS there? then --server begins with https://"
    case .apiToken: "see --api-token-file: a gateway has it in the file api-token of its data_dir"
    case .accessToken: "'parley user token issue' makes a token for --access-token"
    }
  }
}
