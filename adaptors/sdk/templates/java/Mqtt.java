import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLSocketFactory;

/** An MQTT 3.1.1 client with a clean session and QoS 1, as the adaptor bus needs it. It connects again until it is closed. */
final class Mqtt {
    /** Called on the client's thread. */
    interface Listener {
        void up();

        void down();

        void message(String topic, byte[] payload);

        void refused(int code);
    }

    record Will(String topic, String payload) {}

    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int MAX_PACKET = 1 << 20;
    private final URI url;
    private final String clientId;
    private final String user;
    private final String password;
    private final List<String> filters;
    private final Will will;
    private final Listener listener;
    private final Map<Integer, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile Socket socket;
    private DataOutputStream out;
    private int lastId;

    Mqtt(URI url, String clientId, String user, String password, List<String> filters, Will will, Listener listener) {
        this.url = url;
        this.clientId = clientId;
        this.user = user;
        this.password = password;
        this.filters = filters;
        this.will = will;
        this.listener = listener;
        Thread thread = new Thread(this::keepUp, clientId);
        thread.setDaemon(true);
        thread.start();
    }

    /** Completes when the broker has it; fails when the connection is lost before. */
    CompletableFuture<Void> publish(String topic, String payload, boolean retain) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (out == null) return CompletableFuture.failedFuture(new IOException("not connected"));
            lastId = lastId % 65535 + 1;
            inFlight.put(lastId, done);
            try {
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                DataOutputStream data = new DataOutputStream(body);
                text(data, topic);
                data.writeShort(lastId);
                data.write(payload.getBytes(StandardCharsets.UTF_8));
                packet(retain ? 0x33 : 0x32, body.toByteArray());
            } catch (IOException error) {
                done.completeExceptionally(error);
            }
        }
        return done;
    }

    /** Says goodbye, so that the broker sends no last will. */
    synchronized void close() {
        closed = true;
        try {
            if (out != null) packet(0xE0, new byte[0]);
        } catch (IOException ignored) {
            // it is lost already
        }
        drop();
    }

    private void drop() {
        try {
            if (socket != null) socket.close();
        } catch (IOException ignored) {
            // it is closed
        }
    }

    private void keepUp() {
        for (int failures = 0; !closed; failures++) {
            boolean[] wasUp = {false};
            try {
                session(wasUp);
            } catch (IOException ignored) {
                // connected again below
            }
            synchronized (this) {
                out = null;
            }
            inFlight.values().forEach(done -> done.completeExceptionally(new IOException("the connection is lost")));
            inFlight.clear();
            if (wasUp[0]) {
                failures = 0;
                listener.down();
            }
            long wait = Math.min(10_000, 200L << Math.min(failures, 6));
            try {
                Thread.sleep(wait / 2 + ThreadLocalRandom.current().nextLong(wait / 2 + 1));
            } catch (InterruptedException error) {
                return;
            }
        }
    }

    private void session(boolean[] isUp) throws IOException {
        boolean tls = List.of("tls", "ssl", "mqtts").contains(url.getScheme());
        Socket connecting = tls ? SSLSocketFactory.getDefault().createSocket() : new Socket();
        socket = connecting;
        try (connecting) {
            connecting.connect(new InetSocketAddress(url.getHost(), url.getPort() < 0 ? 1883 : url.getPort()), 10_000);
            connecting.setTcpNoDelay(true);
            connecting.setSoTimeout(KEEP_ALIVE_SECONDS * 500);
            DataInputStream in = new DataInputStream(connecting.getInputStream());
            synchronized (this) {
                out = new DataOutputStream(connecting.getOutputStream());
                connect();
            }
            while (!closed) {
                int type;
                try {
                    type = in.readUnsignedByte();
                } catch (java.net.SocketTimeoutException idle) {
                    synchronized (this) {
                        packet(0xC0, new byte[0]);
                    }
                    continue;
                }
                byte[] body = new byte[length(in)];
                in.readFully(body);
                take(type, body, isUp);
            }
        }
    }

    private void take(int type, byte[] body, boolean[] isUp) throws IOException {
        DataInputStream data = new DataInputStream(new java.io.ByteArrayInputStream(body));
        switch (type >> 4) {
            case 2 -> {
                data.readByte();
                int code = data.readUnsignedByte();
                if (code == 4 || code == 5) listener.refused(code);
                if (code != 0) throw new IOException("CONNACK " + code);
                ByteArrayOutputStream wanted = new ByteArrayOutputStream();
                DataOutputStream subscription = new DataOutputStream(wanted);
                subscription.writeShort(1);
                for (String filter : filters) {
                    text(subscription, filter);
                    subscription.writeByte(1);
                }
                synchronized (this) {
                    lastId = 1;
                    packet(0x82, wanted.toByteArray());
                }
            }
            case 9 -> {
                isUp[0] = true;
                listener.up();
            }
            case 3 -> {
                String topic = data.readUTF();
                int id = (type & 6) == 0 ? 0 : data.readUnsignedShort();
                listener.message(topic, data.readAllBytes());
                if (id == 0) return;
                synchronized (this) {
                    packet(0x40, new byte[] {(byte) (id >> 8), (byte) id});
                }
            }
            case 4 -> {
                CompletableFuture<Void> done = inFlight.remove(data.readUnsignedShort());
                if (done != null) done.complete(null);
            }
            default -> {
                // PINGRESP
            }
        }
    }

    private void connect() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(body);
        text(data, "MQTT");
        data.writeByte(4);
        // user name, password, clean session; a last will is retained and has QoS 1
        data.writeByte(0xC2 | (will == null ? 0 : 0x2C));
        data.writeShort(KEEP_ALIVE_SECONDS);
        text(data, clientId);
        if (will != null) {
            text(data, will.topic());
            text(data, will.payload());
        }
        text(data, user);
        text(data, password);
        packet(0x10, body.toByteArray());
    }

    private static void text(DataOutputStream data, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        data.writeShort(bytes.length);
        data.write(bytes);
    }

    private void packet(int type, byte[] body) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(type);
        int rest = body.length;
        do {
            head.write(rest > 127 ? rest % 128 | 128 : rest);
            rest /= 128;
        } while (rest > 0);
        head.write(body);
        out.write(head.toByteArray());
        out.flush();
    }

    private static int length(DataInputStream in) throws IOException {
        int length = 0;
        for (int shift = 0; shift < 28; shift += 7) {
            int part = in.readUnsignedByte();
            length |= (part & 127) << shift;
            if (length > MAX_PACKET) break;
            if (part < 128) return length;
        }
        throw new IOException("a packet is too large");
    }
}
