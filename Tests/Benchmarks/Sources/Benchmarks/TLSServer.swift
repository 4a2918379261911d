import Foundation

/// nginx on loopback with a certificate of its own: one process with keep-alive that answers every request with 1,024
/// bytes.
final class TLSServer {
    static let absence = "Left out: the server needs nginx and openssl (packages nginx-light, openssl)."

    let url: String
    /// The path of the PEM file with the certificate, which is its own authority.
    let authorities: String
    /// The shell that stops nginx when its input ends. It is released before the folder, which has nginx's number.
    private let process: Peer
    private let folder: TemporaryFolder

    private init(_ folder: TemporaryFolder, port: Int, process: Peer) {
        self.folder = folder
        self.process = process
        url = "https://127.0.0.1:\(port)/userinfo"
        authorities = "\(folder.path)/certificate.pem"
    }

    /// Starts the server; nil when it is not installed.
    static func start() throws -> TLSServer? {
        let folder = try TemporaryFolder()
        // Ports outside of Linux's range for clients. nginx ends with an error when another program has the port.
        for _ in 0..<5 {
            let port = Int.random(in: 20_000..<30_000)
            let configuration = try folder.write(Data(configuration(folder.path, port: port).utf8), as: "nginx.conf")
            let process = try Peer(["/bin/sh", "-c", script, "sh", folder.path, configuration])
            switch process.line() {
            case "ready": return TLSServer(folder, port: port, process: process)
            case "missing": return nil
            default: continue
            }
        }
        return nil
    }

    /// nginx becomes a daemon when it listens, so that its parent's end means that it is ready.
    private static let script = """
        PATH=$PATH:/usr/sbin
        cd "$1"
        command -v nginx >/dev/null && command -v openssl >/dev/null || { echo missing; exit; }
        test -e certificate.pem || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
          -keyout key.pem -out certificate.pem -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>errors || exit
        nginx -p "$1" -c "$2" -e "$1/errors" 2>>errors || exit
        echo ready
        read -r end
        kill "$(cat pid)"
        """

    private static func configuration(_ folder: String, port: Int) -> String {
        """
        worker_processes 1;
        pid \(folder)/pid;
        error_log \(folder)/errors;
        events { worker_connections 4096; }
        http {
            access_log off;
            default_type application/json;
            keepalive_requests 1000000000;
            client_body_temp_path \(folder)/body;
            proxy_temp_path \(folder)/proxy;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_certificate \(folder)/certificate.pem;
                ssl_certificate_key \(folder)/key.pem;
                location / { return 200 "\(String(repeating: "x", count: 1_024))"; }
            }
        }
        """
    }
}
