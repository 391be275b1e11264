package import Configuration
package import Reactor

extension SocketAddress {
  /// The address for the kernel that a setting means; `localhost` is the only name understood.
  package init(_ setting: SocketAddressText) throws(SystemError) {
    let numeric = setting.host == "localhost" ? "127.0.0.1" : setting.host
    guard let address = SocketAddress(host: numeric, port: setting.port) else {
      throw SystemError(call: "listen", code: 22, object: "\(setting): not a numeric address")
    }
    self = address
  }
}
