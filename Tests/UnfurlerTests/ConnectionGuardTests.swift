import Basics
import CCurl
import Curl
import Glibc
import LinkPreview
import Testing

@testable import Unfurler

@Suite("Address check of connections")
struct ConnectionGuardTests {
  /// libcurl's structure with room for the longest address, as libcurl itself lays it out.
  private func address(family: Int32, _ bytes: [UInt8]) -> IPAddress? {
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
    let memory = UnsafeMutableRawPointer.allocate(byteCount: offset + 128, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: offset + 128)
    memory.advanced(by: offset).copyMemory(from: bytes, byteCount: bytes.count)
    let target = memory.assumingMemoryBound(to: curl_sockaddr.self)
    target.pointee.family = family
    target.pointee.addrlen = UInt32(bytes.count)
    return ConnectionGuard.ipAddress(target)
  }

  @Test("the dialled address is read from the socket address")
  func addresses() {
    let v4: [UInt8] = [2, 0, 0, 80, 169, 254, 169, 254] + [UInt8](repeating: 0, count: 8)
    #expect(address(family: AF_INET, v4) == IPAddress("169.254.169.254"))
    let v6: [UInt8] =
      [10, 0, 0, 80, 0, 0, 0, 0, 0xfd, 0, 0x0e, 0xc2] + [UInt8](repeating: 0, count: 10)
      + [2, 0x54, 0, 0, 0, 0]
    #expect(address(family: AF_INET6, v6) == IPAddress("fd00:ec2::254"))
  }

  @Test("other families and truncated addresses are refused")
  func others() {
    #expect(address(family: AF_UNIX, [UInt8](repeating: 0, count: 110)) == nil)
    #expect(address(family: AF_INET, [2, 0, 0, 80]) == nil)
    #expect(address(family: AF_INET6, [UInt8](repeating: 0, count: 16)) == nil)
  }
}
